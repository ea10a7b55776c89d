// What `lamella model` shows of one model, each view for people; with --json the API's answer is printed instead.
import { printable } from "#core/printable.ts";
import { bytesText, exactText } from "#core/shape/number-text.ts";
import { dimsText } from "#core/shape/tensor-notes.ts";
import type { FindAnswer, ModuleDetail } from "#schema/api/shapes.ts";
import { table } from "./output.ts";

export function moduleText(detail: ModuleDetail): string {
  const { path, className, role, totals, repeat, alias, precision, tensors, frameName } = detail;
  const unsized = totals.unsizedTensors > 0 ? ` · ${exactText(totals.unsizedTensors)} tensors unsized` : "";
  const index = repeat?.firstIndex === null || repeat === null ? "" : `, ${exactText(repeat.firstIndex)} to ${exactText(repeat.lastIndex!)}`;
  const lines = [
    `${path === "" ? "the root" : path}  ${className}  (${role})`,
    `${exactText(totals.parameters)} parameters, ${exactText(totals.ownParameters)} its own · ${bytesText(totals.weightBytes)} of weights · ${exactText(totals.submodules)} submodules${unsized}`,
    ...(repeat === null ? [] : [`×${exactText(repeat.count)}${index}: ${repeat.first} … ${repeat.last} · ${exactText(repeat.parameters)} parameters · ${bytesText(repeat.weightBytes)} over all copies`]),
    ...(alias === null ? [] : [`shares ${alias}`]),
    ...precision.map(({ dtype, bytes, share }) => `${dtype}: ${bytes === null ? "unsized" : `${bytesText(bytes)}${share === null ? "" : ` · ${(100 * share).toFixed(1)} %`}`}`),
    `flamegraph: ${frameName}`,
  ].map(printable);
  const rows = tensors.map((one) => [one.name, dimsText(one.dims), one.dtype, one.bytes === null ? "unsized" : bytesText(one.bytes), one.notes.filter((note) => note !== "unsized").join(", ")].map(printable));
  return rows.length === 0 ? lines.join("\n") : `${lines.join("\n")}\n\n${table(["tensor", "dims", "dtype", "bytes", ""], rows, [3])}`;
}

export function findText({ matches, modules, hits, more }: FindAnswer): string {
  if (hits.length === 0) return `none of ${exactText(modules)} modules matches`;
  const rows = hits.map(({ className, first, last, copies, of }) => [copies === 1 ? first || "the root" : `${first} … ${last}`, className, copies === 1 ? "" : `×${exactText(copies)}${copies < of ? ` of ${exactText(of)}` : ""}`].map(printable));
  const head = `${exactText(matches)} of ${exactText(modules)} modules match${matches === 1 ? "es" : ""}${more ? "; the first are" : ""}`;
  return `${head}\n\n${table(["module", "class", "copies"], rows)}`;
}
