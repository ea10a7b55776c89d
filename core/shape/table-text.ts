// A shape as a table for people, as torchinfo prints one: a line per module and per tensor it holds, equal siblings folded into one line ×N.
//
//   module                     dims            dtype         parameters    bytes
//   model: Qwen3Model                                    31,984,210,944  64.0 GB
//     embed_tokens: Embedding                               777,912,320   1.6 GB
//       weight                 [151936, 5120]  bfloat16     777,912,320   1.6 GB
//
// The counts of a module are of everything below it, shared tensors once; of a folded line, of its first copy. Iterative: depth costs no stack.
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { printable } from "../printable.ts";
import { err, ok, type Result } from "../result.ts";
import { placeAliases } from "./alias.ts";
import { aliasTree, branchesOfRuns, sharesText, type AliasTree } from "./alias-tree.ts";
import { canonicalShape } from "./canonical.ts";
import { joinPath } from "./locate.ts";
import { foldChildren, type Run } from "./fold.ts";
import { bytesText, exactText } from "./number-text.ts";
import { dimsText, packingNote } from "./tensor-notes.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";
import { rowTotals, shapeTotals, sharedWithin, type Totals } from "./totals.ts";

interface Node {
  path: string; // of the first copy
  depth: number;
  run: Run;
  copies: number; // paths this line stands for, folded ancestors included
  shared: AliasTree[];
}

type Cells = [module: string, dims: string, dtype: string, parameters: string, bytes: string, notes: string];
const head: Cells = ["module", "dims", "dtype", "parameters", "bytes", ""];
const right = [3, 4];

export function shapeTable(body: ShapeBody, modelName: string): Result<string, string> {
  const { body: shape } = canonicalShape(body);
  const [totals, within] = [rowTotals(shape), sharedWithin(shape)];
  const rows: Cells[] = [];
  const whole: Run = { first: "", last: "", count: 1, module: shape.root, at: 0 };
  const open: Node[] = [{ path: "", depth: 0, run: whole, copies: 1, shared: [aliasTree(placeAliases(shape))] }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    rows.push(moduleCells(shape, node, totals, within), ...tensorCells(shape, node));
    if (rows.length > limits.shapeTextLinesMax) return err(`the table has more than shapeTextLinesMax = ${limits.shapeTextLinesMax} lines; ask for the shape as JSON`);
    open.push(...childNodes(shape, node));
  }
  const { parameters, weightBytes, modules, unsizedTensors } = shapeTotals(shape);
  const unsized = unsizedTensors > 0 ? ` · ${exactText(unsizedTensors)} tensor${unsizedTensors === 1 ? "" : "s"} unsized` : "";
  return ok(`${printable(modelName)}\n${exactText(parameters)} parameters · ${bytesText(weightBytes)} of weights · ${exactText(modules)} modules${unsized}\n\n${columnsText([head, ...rows.map((row) => row.map(printable) as Cells)])}\n`);
}

function moduleCells(shape: ShapeBody, { path, depth, run, copies, shared }: Node, totals: readonly Totals[], within: ReadonlyMap<string, Totals>): Cells {
  const { parameters, weightBytes } = totals[run.module]!;
  const twice = within.get(path);
  const name = run.count === 1 ? run.first : `${run.first} … ${run.last}`;
  const className = `${shape.modules[run.module]!.className}${run.count > 1 ? ` ×${exactText(run.count)}` : ""}`;
  const counted = parameters - (twice?.parameters ?? 0);
  const bytes = weightBytes - (twice?.weightBytes ?? 0);
  return [`${"  ".repeat(depth)}${name === "" ? "" : `${name}: `}${className}`, "", "", counted === 0 ? "" : exactText(counted), bytes === 0 ? "" : bytesText(bytes), sharesText(shared, copies)];
}

function tensorCells(shape: ShapeBody, { depth, run }: Node): Cells[] {
  return shape.modules[run.module]!.tensors.map((tensor): Cells => {
    const bytes = tensorBytes(tensor);
    const role = { parameter: "", buffer: "buffer", quant_state: "quantisation state" }[tensor.role];
    const notes = [role, packingNote(tensor)].filter((note) => note !== "").join(", ");
    const elements = tensor.role === "parameter" ? exactText(logicalElements(tensor)) : "";
    return [`${"  ".repeat(depth + 1)}${tensor.name}`, dimsText(tensor.dims), tensor.dtype, elements, bytes === undefined ? "unsized" : bytesText(bytes), notes];
  });
}

// In reverse, as a stack wants them.
function childNodes(shape: ShapeBody, parent: Node): Node[] {
  const runs = foldChildren(shape.modules[parent.run.module]!.children);
  const shared = branchesOfRuns(parent.shared, runs);
  return runs.map((run, i) => ({ path: joinPath(parent.path, run.first), depth: parent.depth + 1, run, copies: parent.copies * run.count, shared: shared[i]! })).reverse();
}

function columnsText(rows: readonly Cells[]): string {
  const length = (cell: string): number => [...cell].length; // padding counts UTF-16 units
  const widths = head.map((_, column) => rows.reduce((most, row) => Math.max(most, length(row[column]!)), 0));
  return rows
    .map((row) => row.map((cell, column) => (right.includes(column) ? " ".repeat(widths[column]! - length(cell)) + cell : cell + " ".repeat(widths[column]! - length(cell)))).join("  ").trimEnd())
    .join("\n");
}
