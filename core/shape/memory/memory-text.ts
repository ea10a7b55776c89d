// The memory view for people.
//
//   TP 8 · PP 2: 4.1 GB of weights on a rank of stage 1, of 65.5 GB in all
//   KV cache: 262,144 bytes per token (16,384 on a rank) at 2 bytes an element
import type { MemoryTensor, ShapeMemory } from "#schema/api/shapes.ts";
import { printable } from "../../printable.ts";
import { bytesText, exactText } from "../number-text.ts";
import { dimsText, packingNote } from "../tensor-notes.ts";

const tensorsShown = 12;

export function memoryText({ tp, pp, ep, weights, kv, problems, notes, inferred, replicated, tensors, tensorsTotal }: Omit<ShapeMemory, "shapeId" | "layoutId">): string {
  const sizes = [`TP ${tp}`, `PP ${pp}`, ...(ep > 1 ? [`EP ${ep}`] : [])].join(" · ");
  const stage = pp > 1 ? ` of stage ${weights.largestStage}` : "";
  const experts = weights.expertBytes === 0 ? [] : [`experts: ${bytesText(weights.expertBytes)} of the weights, ${bytesText(weights.stages[weights.largestStage]!.expertBytesPerRank)} of that rank; the rest: ${bytesText(weights.bytes - weights.expertBytes)}`];
  return [
    `${sizes}: ${bytesText(weights.bytesPerRank)} of weights on a rank${stage}, of ${bytesText(weights.bytes)} in all`,
    ...(weights.unsizedTensors > 0 ? [`${exactText(weights.unsizedTensors)} tensors of an unsized dtype are not counted`] : []),
    ...experts,
    ...(pp > 1 ? weights.stages.map((one) => `  stage ${one.stage}: ${exactText(one.layers)} layers · ${bytesText(one.bytesPerRank)} a rank${one.kvBytesPerTokenPerRank === null ? "" : ` · ${exactText(one.kvBytesPerTokenPerRank)} KV bytes per token`}`) : []),
    ...kvLines(kv),
    ...problems.map((problem) => `! ${problem}`),
    ...notes.map((note) => `  ${note}`),
    `  ${exactText(inferred)} kinds of tensors are divided by inference, ${exactText(replicated)} are whole or repeated because they cannot be divided`,
    "",
    `largest tensors (${exactText(Math.min(tensorsShown, tensors.length))} of ${exactText(tensorsTotal)} kinds)`,
    ...tensors.slice(0, tensorsShown).map(tensorText),
  ].map((line) => `${printable(line)}\n`).join("");
}

// The cache in all and on a rank, then per kind of attention what it was read from.
export function kvLines({ reason, elementBytes, elementBytesFrom, bytesPerToken, bytesPerTokenPerRank, attention, layersWithout }: ShapeMemory["kv"]): string[] {
  if (reason !== null) return [reason];
  const from = { asked: "", weights: ", the dtype of the key projection", default: ", taken for granted" }[elementBytesFrom];
  const total = bytesPerToken === null ? "cannot be told from the shapes" : `${exactText(bytesPerToken)} bytes per token`;
  const rank = bytesPerTokenPerRank === null ? "on a rank: cannot be told from the shapes" : `${exactText(bytesPerTokenPerRank)} on a rank`;
  return [
    `KV cache: ${total} (${rank}) at ${elementBytes} bytes an element${from}`,
    ...attention.map(({ path, layers, kvHeads, headSize, elementsPerToken, how }) => {
      const heads = kvHeads === null ? "" : ` · ${exactText(kvHeads)} key heads of ${exactText(headSize ?? 0)}`;
      return `  ${path} ×${exactText(layers)}${heads}${elementsPerToken === null ? "" : ` · ${exactText(elementsPerToken)} elements`}: ${how}`;
    }),
    ...(layersWithout > 0 ? [`  ${exactText(layersWithout)} layers cache nothing per token`] : []),
  ];
}

function tensorText(tensor: MemoryTensor): string {
  const { path, copies, dtype, dims, bytes, bytesPerRank } = tensor;
  const size = bytes === null ? "unsized" : `${bytesText(bytes)}${bytesPerRank === bytes ? "" : ` → ${bytesText(bytesPerRank!)} a rank`}`;
  const facts = [`${dtype} ${dimsText(dims)}`, packingNote(tensor), size, splitText(tensor)];
  return `  ${path}${copies > 1 ? ` ×${exactText(copies)}` : ""}  ${facts.filter((fact) => fact !== "").join(" · ")}`;
}

// How a tensor is divided over the ranks, and who says so.
export function splitText({ rule, dim, from, experts, note }: MemoryTensor): string {
  const split = rule === "whole" ? "whole" : `${rule}, dim ${dim} (${from === "layout" ? "from the layout" : "inferred"})`;
  return [split, experts === null ? "" : `${exactText(experts.perRank)} of ${exactText(experts.count)} experts`, note].filter((fact) => fact !== "").join(" · ");
}
