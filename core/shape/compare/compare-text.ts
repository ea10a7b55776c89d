// A comparison for people: both models on a line each, then one line per change.
//
//   - Qwen/Qwen3-32B  Qwen3ForCausalLM  32,762,123,264 parameters · 65.5 GB · 967 modules · bfloat16
//   + Qwen/Qwen3-32B-AWQ  Qwen3ForCausalLM  32,762,123,264 parameters · 19.3 GB · 967 modules · float16, int32
//   2 changes
//   ~ model.layers: 64 → 48 (16 × Qwen3DecoderLayer fewer)
//   ~ model.layers.*.mlp.down_proj.weight: bfloat16 → int32 4-bit packed (×64)
import type { ShapeChange, ShapeComparison } from "#schema/api/shapes.ts";
import { printable } from "../../printable.ts";
import { bytesText, exactText } from "../number-text.ts";
import { dimsText, heldNotes, packingNote } from "../tensor-notes.ts";

export function compareText(comparison: ShapeComparison, names: { a: string; b: string }): string {
  const { a, b, same, total, changes } = comparison;
  const head = [`- ${sideText(a, names.a)}`, `+ ${sideText(b, names.b)}`];
  if (same) return linesText([...head, "no change: both have one structure"]);
  const cut = total > changes.length ? [`and ${exactText(total - changes.length)} more changes`] : [];
  return linesText([...head, `${exactText(total)} change${total === 1 ? "" : "s"}`, ...changes.map(changeText), ...cut]);
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function sideText({ rootClass, parameters, weightBytes, modules, dtypes }: ShapeComparison["a"], name: string): string {
  const facts = [`${exactText(parameters)} parameters`, bytesText(weightBytes), `${exactText(modules)} modules`, ...(dtypes.length > 0 ? [dtypes.join(", ")] : [])];
  return `${name}  ${rootClass}  ${facts.join(" · ")}`;
}

export function changeText(change: ShapeChange): string {
  const { path, copies, of } = change;
  const count = copies === 1 ? "" : copies === of ? ` (×${exactText(copies)})` : ` (×${exactText(copies)} of ${exactText(of)})`;
  return `${changeSign(change)} ${path === "" ? "the model" : path}: ${whatText(change)}${count}`;
}

export function changeSign({ kind }: Pick<ShapeChange, "kind">): "+" | "-" | "~" {
  return kind.endsWith("_added") ? "+" : kind.endsWith("_removed") ? "-" : "~";
}

// What differs, without where.
export function whatText(change: ShapeChange): string {
  switch (change.kind) {
    case "module_added": return moduleText(change.after);
    case "module_removed": return moduleText(change.before);
    case "class_changed": return `${change.before} → ${change.after}`;
    case "layers_changed": return layersText(change);
    case "order_changed": return `in another order: ${change.before.join(", ")} → ${change.after.join(", ")}`;
    case "tensor_added": return tensorText(change.after, everyField);
    case "tensor_removed": return tensorText(change.before, everyField);
    case "tensor_changed": return `${tensorText(change.before, change.fields)} → ${tensorText(change.after, change.fields)}`;
    case "alias_changed": return `shares ${change.before ?? "nothing"} → ${change.after ?? "nothing"}`;
    case "sizes_changed": return `${sizesText(change.before)} → ${sizesText(change.after)}`;
    case "sharding_changed": return `${heldNotes(change.before).join(", ") || "whole"} → ${heldNotes(change.after).join(", ") || "whole"}`;
  }
}

function moduleText({ className, parameters, weightBytes, modules }: { className: string; parameters: number; weightBytes: number; modules: number }): string {
  const facts = [...(modules > 1 ? [`${exactText(modules)} modules`] : []), ...(parameters > 0 ? [`${exactText(parameters)} parameters`, bytesText(weightBytes)] : [])];
  return facts.length === 0 ? className : `${className} · ${facts.join(" · ")}`;
}

function layersText({ before, after }: Extract<ShapeChange, { kind: "layers_changed" }>): string {
  const [layers, word] = before.count > after.count ? [before.layers, "fewer"] : [after.layers, "more"];
  return `${exactText(before.count)} → ${exactText(after.count)} (${layers.map(({ className, count }) => `${exactText(count)} × ${className}`).join(", ")} ${word})`;
}

const everyField = ["role", "dtype", "dims", "packing"] as const;
type Tensor = Extract<ShapeChange, { kind: "tensor_added" }>["after"];

// What is packed is said with its dtype: "int32 4-bit packed".
function tensorText(tensor: Tensor, fields: readonly (typeof everyField)[number][]): string {
  const said = (field: (typeof everyField)[number]): boolean => fields.includes(field);
  return [
    said("role") ? { parameter: fields.length === everyField.length ? "" : "parameter", buffer: "buffer", quant_state: "quantisation state" }[tensor.role] : "",
    said("dtype") || said("packing") ? tensor.dtype : "",
    said("dims") ? dimsText(tensor.dims) : "",
    said("packing") ? packingNote(tensor) : "",
  ].filter((word) => word !== "").join(" ");
}

function sizesText({ tp, pp, ep, dp }: { tp: number; pp: number; ep: number; dp: number }): string {
  return [tp > 1 ? `TP ${tp}` : "", pp > 1 ? `PP ${pp}` : "", ep > 1 ? `EP ${ep}` : "", dp > 1 ? `DP ${dp}` : ""].filter((word) => word !== "").join(" ") || "one rank";
}
