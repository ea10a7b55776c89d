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
import { foldChildren, type Run } from "./fold.ts";
import { bytesText, exactText } from "./number-text.ts";
import { dimsText, packingNote } from "./tensor-notes.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";
import { SubtreeTotals, type Subtree } from "./totals.ts";

interface Node {
  depth: number;
  run: Run;
  subtree: Subtree; // of the first copy
  copies: number; // paths this line stands for, folded ancestors included
  shared: AliasTree[];
}

const columnMax = 120; // a longer cell is shown whole, and only its own line is the longer for it

type Cells = [module: string, dims: string, dtype: string, parameters: string, bytes: string, notes: string];
const head: Cells = ["module", "dims", "dtype", "parameters", "bytes", ""];
const right = [3, 4];

export function shapeTable(body: ShapeBody, modelName: string): Result<string, string> {
  const { body: shape } = canonicalShape(body);
  const totals = new SubtreeTotals(shape);
  const rows: Cells[] = [];
  const whole: Run = { first: "", last: "", count: 1, module: shape.root, at: 0 };
  const open: Node[] = [{ depth: 0, run: whole, subtree: totals.root, copies: 1, shared: [aliasTree(placeAliases(shape))] }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    rows.push(moduleCells(shape, node, totals), ...tensorCells(shape, node));
    if (rows.length > limits.shapeTextLinesMax) return err(`the table has more than shapeTextLinesMax = ${limits.shapeTextLinesMax} lines; ask for the shape as JSON`);
    open.push(...childNodes(shape, totals, node));
  }
  const { parameters, weightBytes, modules, unsizedTensors } = totals.of(totals.root);
  const unsized = unsizedTensors > 0 ? ` · ${exactText(unsizedTensors)} tensor${unsizedTensors === 1 ? "" : "s"} unsized` : "";
  return ok(`${printable(modelName)}\n${exactText(parameters)} parameters · ${bytesText(weightBytes)} of weights · ${exactText(modules)} modules${unsized}\n\n${columnsText([head, ...rows.map((row) => row.map(printable) as Cells)])}\n`);
}

function moduleCells(shape: ShapeBody, { depth, run, subtree, copies, shared }: Node, totals: SubtreeTotals): Cells {
  const { parameters, weightBytes } = totals.of(subtree);
  const name = run.count === 1 ? run.first : `${run.first} … ${run.last}`;
  const className = `${shape.modules[run.module]!.className}${run.count > 1 ? ` ×${exactText(run.count)}` : ""}`;
  return [`${"  ".repeat(depth)}${name === "" ? "" : `${name}: `}${className}`, "", "", parameters === 0 ? "" : exactText(parameters), weightBytes === 0 ? "" : bytesText(weightBytes), sharesText(shared, copies)];
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
function childNodes(shape: ShapeBody, totals: SubtreeTotals, parent: Node): Node[] {
  const runs = foldChildren(shape.modules[parent.run.module]!.children);
  const shared = branchesOfRuns(parent.shared, runs);
  return runs.map((run, i) => ({ depth: parent.depth + 1, run, subtree: totals.child(parent.subtree, run.at), copies: parent.copies * run.count, shared: shared[i]! })).reverse();
}

function columnsText(rows: readonly Cells[]): string {
  const length = (cell: string): number => [...cell].length; // padding counts UTF-16 units
  const widths = head.map((_, column) => Math.min(columnMax, rows.reduce((most, row) => Math.max(most, length(row[column]!)), 0)));
  const padded = (cell: string, column: number): string => {
    const blanks = " ".repeat(Math.max(0, widths[column]! - length(cell)));
    return right.includes(column) ? blanks + cell : cell + blanks;
  };
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}
