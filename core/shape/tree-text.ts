// A shape as indented text, folded: one line per node, 64 equal layers on one line.
//
//   Qwen/Qwen3-32B  Qwen3ForCausalLM  32.8B parameters (32,762,123,264) · 65.5 GB · 967 modules · bfloat16
//     model  Qwen3Model  32.0B · bfloat16
//       layers  ModuleList  31.2B · bfloat16
//         layers.0 … layers.63  Qwen3DecoderLayer ×64  487.6M each · bfloat16
//
// A subtree's count is of the tensors in it, shared ones once; of a folded node, of its first copy. Iterative: depth costs no stack.
import type { ShapeBody } from "#schema/api/models.ts";
import { placeAliases } from "./alias.ts";
import { aliasTree, branchesOfRuns, sharesText, type AliasTree } from "./alias-tree.ts";
import { canonicalShape } from "./canonical.ts";
import { foldChildren, type Run } from "./fold.ts";
import { attributeName } from "../module-path.ts";
import { bytesText, countText, exactText } from "./number-text.ts";
import { SubtreeTotals, type Subtree, type Totals } from "./totals.ts";
import { weightDtypes } from "./weight-dtypes.ts";

const exactBelow = 100_000; // five digits are read as easily as "5.1K", and say more

interface Node {
  path: string; // of the first copy
  depth: number;
  run: Run;
  subtree: Subtree; // of the first copy
  copies: number; // paths this line stands for, folded ancestors included
  shared: AliasTree[]; // by copy that shares something in it or is shared
}

export function treeText(body: ShapeBody, modelName: string): string {
  return [...treeLines(body, modelName)].join("\n") + "\n";
}

export function* treeLines(body: ShapeBody, modelName: string): Generator<string> {
  const { body: shape } = canonicalShape(body); // equal structure is one row, which folding asks for
  const { modules, root } = shape;
  const totals = new SubtreeTotals(shape);
  const dtypes = weightDtypes(modules);

  yield rootLine(modules[root]!.className, totals.of(totals.root), modelName, dtypes[root]!);
  const whole: Run = { first: "", last: "", count: 1, module: root, at: 0 };
  const open = childNodes(shape, totals, { path: "", depth: 0, run: whole, subtree: totals.root, copies: 1, shared: [aliasTree(placeAliases(shape))] });
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { run, depth } = node;
    const { parameters } = totals.of(node.subtree);
    const size = parameters === 0 ? "" : `${sizeText(parameters)}${run.count > 1 ? " each" : ""}`;
    const facts = [size, dtypes[run.module]!.join(", "), sharesText(node.shared, node.copies)].filter((fact) => fact !== "");
    const className = `${modules[run.module]!.className}${run.count > 1 ? ` ×${exactText(run.count)}` : ""}`;
    yield `${"  ".repeat(depth)}${[labelOf(node), className, facts.join(" · ")].filter((column) => column !== "").join("  ")}`;
    for (const child of childNodes(shape, totals, node)) open.push(child);
  }
}

function rootLine(className: string, { parameters, weightBytes, modules, unsizedTensors }: Totals, modelName: string, dtypes: readonly string[]): string {
  const exact = parameters < exactBelow ? "" : ` (${exactText(parameters)})`;
  const sized = dtypes.filter((dtype) => dtype !== "unsized").join(", ");
  const facts = [`${sizeText(parameters)} parameters${exact}`, bytesText(weightBytes), `${exactText(modules)} modules`];
  if (sized !== "") facts.push(sized);
  if (unsizedTensors > 0) facts.push(`${exactText(unsizedTensors)} tensors unsized`);
  return [modelName, className, facts.join(" · ")].join("  ");
}

function sizeText(parameters: number): string {
  return parameters < exactBelow ? exactText(parameters) : countText(parameters);
}

// In reverse, as a stack wants them.
function childNodes(shape: ShapeBody, totals: SubtreeTotals, parent: Node): Node[] {
  const runs = foldChildren(shape.modules[parent.run.module]!.children);
  const shared = branchesOfRuns(parent.shared, runs);
  return runs
    .map((run, i) => ({
      path: parent.path === "" ? run.first : `${parent.path}.${run.first}`,
      depth: parent.depth + 1,
      run,
      subtree: totals.child(parent.subtree, run.at),
      copies: parent.copies * run.count,
      shared: shared[i]!,
    }))
    .reverse();
}

function labelOf({ path, run }: Node): string {
  const first = attributeName(path);
  return run.count === 1 ? first : `${first} … ${first.slice(0, first.length - run.first.length)}${run.last}`;
}
