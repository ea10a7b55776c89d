// A shape upload → one part of a model, or the first thing wrong with it. Everything is checked: every index, the order of the DAG, every bound of
// schema/limits.ts, the rules of aliases. The wire's row 0 ("not set") is gone in the result: its rows start at 0 with a real module.
import type { ShapeBody } from "#schema/api/models.ts";
import type { Layout, ShapeUpload } from "#schema/gen/lamella/v1/shape_pb.ts";
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import { encodeUtf8 } from "../../utf8.ts";
import { checkAliases, splitAliases } from "../alias.ts";
import { checkLayout } from "../layout.ts";
import { decodeModules } from "./decode-modules.ts";
import { decodeTensors } from "./decode-tensors.ts";
import type { ShapeLayout, ShapePart } from "../part.ts";
import { overLimit, undecodable, type ShapeProblem } from "../problem.ts";
import { checkSharedParts } from "../shared-parts.ts";
import { rowTotals } from "../totals.ts";

export function decodeShape(upload: ShapeUpload): Result<ShapePart, ShapeProblem> {
  const problem = checkHeader(upload) ?? checkStrings(upload.strings);
  if (problem !== undefined) return err(problem);
  const tensors = decodeTensors(upload.tensors, upload.strings);
  if (!tensors.ok) return tensors;
  const modules = decodeModules(upload.modules, upload.root, tensors.value, upload.strings);
  if (!modules.ok) return modules;
  const aliases = decodeAliases(upload);
  if (!aliases.ok) return aliases;
  const layout = decodeLayout(upload.layout);
  if (!layout.ok) return layout;

  const sent: ShapeBody = { architecture: upload.architecture, modules: modules.value, root: upload.root - 1, aliases: aliases.value };
  const bodyProblem = checkAliases(sent, upload.ppSize === 1) ?? checkSharedParts(sent) ?? checkTotals(sent) ?? checkLayout(sent, layout.value) ?? checkStage(upload, modules.value.length);
  if (bodyProblem !== undefined) return err(bodyProblem);
  const { ofWeights, ofBuffers } = splitAliases(sent);
  const { agentVersion, modelKey, ppRank, ppSize, partHash, runId } = upload;
  return ok({ agentVersion, modelKey, ppRank, ppSize, partHash, ...(runId !== "" && { runId }), body: { ...sent, aliases: ofWeights }, layout: { ...layout.value, aliases: ofBuffers } });
}

function checkHeader({ modelKey, partHash, runId, ppRank, ppSize, architecture }: ShapeUpload): ShapeProblem | undefined {
  if (!/^[0-9a-f]{32}$/.test(modelKey)) return undecodable(`model_key must be 32 lower-case hex digits, not "${modelKey.slice(0, 64)}"`);
  if (!/^[0-9a-f]{64}$/.test(partHash)) return undecodable(`part_hash must be 64 lower-case hex digits, not "${partHash.slice(0, 64)}"`);
  if (!/^([0-9a-f]{32})?$/.test(runId)) return undecodable(`run_id must be 32 lower-case hex digits or empty, not "${runId.slice(0, 64)}"`);
  if (ppSize < 1) return undecodable("pp_size is 0; a model in one piece has 1");
  if (ppSize > limits.pipelineStagesMax) return overLimit("pp_size", ppSize, "pipelineStagesMax");
  if (ppRank >= ppSize) return undecodable(`pp_rank is ${ppRank}, but pp_size is ${ppSize}: ranks start at 0`);
  return checkNameLength(architecture, "architecture");
}

function checkStrings(strings: readonly string[]): ShapeProblem | undefined {
  if (strings[0] !== "") return undecodable('strings: row 0 must be "": index 0 means "not set"');
  if (strings.length > limits.stringsPerUploadMax) return overLimit("strings", strings.length, "stringsPerUploadMax");
  const rowOf = new Map<string, number>();
  for (const [row, text] of strings.entries()) {
    const earlier = rowOf.get(text);
    if (earlier !== undefined) return undecodable(`strings: row ${row} repeats row ${earlier}: every text is sent once`);
    rowOf.set(text, row);
    const problem = checkNameLength(text, `strings: row ${row}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkNameLength(text: string, what: string): ShapeProblem | undefined {
  if (text.length * 3 <= limits.nameBytesMax) return undefined; // UTF-8 takes at most three bytes per UTF-16 unit
  const bytes = encodeUtf8(text).length;
  return bytes > limits.nameBytesMax ? overLimit(`${what}, bytes`, bytes, "nameBytesMax") : undefined;
}

function decodeAliases({ aliasPath, aliasTarget, strings }: ShapeUpload): Result<ShapeBody["aliases"], ShapeProblem> {
  if (aliasPath.length !== aliasTarget.length) {
    return err(undecodable(`aliases: alias_path has ${aliasPath.length} values, alias_target has ${aliasTarget.length}`));
  }
  if (aliasPath.length > limits.aliasesPerShapeMax) return err(overLimit("aliases", aliasPath.length, "aliasesPerShapeMax"));
  const aliases: ShapeBody["aliases"] = [];
  for (const [row, pathIndex] of aliasPath.entries()) {
    const [path, target] = [strings[pathIndex], strings[aliasTarget[row]!]];
    if (path === undefined || target === undefined) {
      const wrong = path === undefined ? `alias_path is ${pathIndex}` : `alias_target is ${aliasTarget[row]}`;
      return err(undecodable(`aliases: row ${row}, column ${wrong}, but strings has ${strings.length} rows`));
    }
    aliases.push({ path, target });
  }
  return ok(aliases);
}

function decodeLayout(layout: Layout | undefined): Result<ShapeLayout, ShapeProblem> {
  const { tpSize = 0, ppSize = 0, epSize = 0, dpSize = 0 } = layout ?? {};
  const { shardedPath = [], shardedDim = [], paddedPath = [], paddedDim = [], paddedSize = [], replicatedPath = [], replicas = [] } = layout ?? {};
  const columns: [string, readonly string[], string, readonly unknown[]][] = [
    ["sharded_path", shardedPath, "sharded_dim", shardedDim],
    ["padded_path", paddedPath, "padded_dim", paddedDim],
    ["padded_path", paddedPath, "padded_size", paddedSize],
    ["replicated_path", replicatedPath, "replicas", replicas],
  ];
  for (const [pathColumn, paths, column, values] of columns) {
    if (paths.length !== values.length) return err(undecodable(`layout: ${pathColumn} has ${paths.length} values, ${column} has ${values.length}`));
    if (paths.length > limits.tensorsPerShapeMax) return err(overLimit(`layout: ${pathColumn}`, paths.length, "tensorsPerShapeMax"));
    for (const path of paths) {
      const problem = checkNameLength(path, `layout: ${pathColumn}`);
      if (problem !== undefined) return err(problem);
    }
  }
  const tooLarge = paddedSize.find((size) => size > BigInt(Number.MAX_SAFE_INTEGER));
  if (tooLarge !== undefined) return err(undecodable(`layout: padded_size is ${tooLarge}, over 2^53 - 1`));
  return ok({
    tpSize: tpSize || 1,
    ppSize: ppSize || 1,
    epSize: epSize || 1,
    dpSize: dpSize || 1,
    sharded: shardedPath.map((path, row) => ({ path, dim: shardedDim[row]! })),
    padded: paddedPath.map((path, row) => ({ path, dim: paddedDim[row]!, size: Number(paddedSize[row]) })),
    replicated: replicatedPath.map((path, row) => ({ path, replicas: replicas[row]! })),
    aliases: [], // stand with all aliases of the upload
  });
}

// All stages are read together when they are merged: a stage has its share of what a whole model may have.
function checkStage({ ppSize, strings }: ShapeUpload, modules: number): ShapeProblem | undefined {
  if (ppSize === 1) return undefined;
  const characters = strings.reduce((sum, text) => sum + text.length, 0);
  if (modules * ppSize > limits.modulesPerShapeMax) return overLimit(`modules of a stage × ${ppSize} stages`, modules * ppSize, "modulesPerShapeMax");
  if (characters * ppSize > limits.stagesTextMax) return overLimit(`characters of a stage's strings × ${ppSize} stages`, characters * ppSize, "stagesTextMax");
  return undefined;
}

// Sums of safe numbers only grow, so a total that rounded anywhere on the way ends beyond 2^53 - 1 and is seen here.
function checkTotals(body: ShapeBody): ShapeProblem | undefined {
  const { parameters, weightBytes } = rowTotals(body)[body.root]!;
  if (Math.max(parameters, weightBytes) <= Number.MAX_SAFE_INTEGER) return undefined;
  return undecodable("tensors: parameters or weight bytes of the whole tree are over 2^53 - 1");
}
