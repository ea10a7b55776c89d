// The canonical text of a shape and its hash. docs/shape-format.md specifies every byte; schema/fixtures/shapes/ holds this file and the Python reader
// to it.
// Invariant: equal structure ⇔ equal text, whatever the order of the rows.
import type { ShapeBody } from "#schema/api/models.ts";
import { ok, err, type Result } from "../result.ts";
import { sha256Hex } from "../sha256.ts";
import { ModuleTable } from "./module-table.ts";
import { escapeField } from "./module-text.ts";
import type { ShapePart } from "./part.ts";
import type { ShapeProblem } from "./problem.ts";

export function shapeText(rootHash: string, aliases: ShapeBody["aliases"]): string {
  let text = `lamella-shape\t1\nroot\t${rootHash}\n`;
  const sorted = [...aliases].sort((a, b) => compareAsUtf8(a.path, b.path));
  for (const { path, target } of sorted) text += `a\t${escapeField(path)}\t${escapeField(target)}\n`;
  return text;
}

export interface CanonicalShape {
  shapeId: string; // sha256 of the shape text; of one pipeline stage, the part_hash
  body: ShapeBody; // one row per distinct structure, in post-order of first use; aliases sorted: one body per shapeId
  hashes: string[]; // by row of `body`
}

export function canonicalShape(body: ShapeBody): CanonicalShape {
  const table = new ModuleTable();
  const root = table.copy(body.modules, body.root);
  const aliases = [...body.aliases].sort((a, b) => compareAsUtf8(a.path, b.path));
  const shapeId = sha256Hex(shapeText(table.hashes[root]!, aliases));
  return { shapeId, body: { architecture: body.architecture, modules: table.modules, root, aliases }, hashes: table.hashes };
}

// The part's own structure, if its hash is the one that came with it.
export function verifyPart(part: ShapePart): Result<CanonicalShape, ShapeProblem> {
  const canonical = canonicalShape(part.body);
  if (canonical.shapeId === part.partHash) return ok(canonical);
  const detail = `part_hash is ${part.partHash}, but the canonical text of what was sent hashes to ${canonical.shapeId}; see docs/shape-format.md`;
  return err({ code: "shape_hash_mismatch", detail });
}

// The order of the UTF-8 bytes, which is that of the code points: UTF-16 puts surrogates (code points above U+FFFF) before U+E000 to U+FFFF.
export function compareAsUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
