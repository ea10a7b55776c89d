// The canonical text of one module and its hash: class, own tensors, and the names and hashes of its children (docs/shape-format.md, "Module text").
// It holds no path, so 64 equal layers have one hash.
import type { ModuleRow, TensorRow } from "#schema/api/models.ts";
import { sha256Hex } from "../sha256.ts";

const roleLetter: Record<TensorRow["role"], string> = { parameter: "p", buffer: "b", quant_state: "q" };
const escapes: Record<string, string> = { "%": "%25", "\t": "%09", "\n": "%0A", "\r": "%0D", "\0": "%00" };

export function escapeField(text: string): string {
  return text.replace(/[%\t\n\r\0]/g, (character) => escapes[character]!);
}

// `hashes[row]` is the hash of a child's row.
export function moduleText(module: ModuleRow, hashes: readonly string[]): string {
  let text = `m\t${escapeField(module.className)}\n`;
  for (const { name, role, dtype, dims, packedBits, logicalNumel } of module.tensors) {
    text += `t\t${escapeField(name)}\t${roleLetter[role]}\t${escapeField(dtype)}\t${dims.join(",")}\t${packedBits}\t${logicalNumel}\n`;
  }
  for (const { name, module: row } of module.children) text += `c\t${escapeField(name)}\t${hashes[row]!}\n`;
  return text;
}

// One hash per row: 64 lower-case hex digits.
export function moduleHashes(modules: readonly ModuleRow[]): string[] {
  const hashes: string[] = [];
  for (const module of modules) hashes.push(sha256Hex(moduleText(module, hashes)));
  return hashes;
}
