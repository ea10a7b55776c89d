// One upload's piece of a model: its structure, and beside it how it is spread over ranks. The layout is never part of the shape's identity.
import type { ShapeBody } from "#schema/api/models.ts";

export interface ShapeLayout {
  tpSize: number; // 1 = not sharded
  ppSize: number;
  epSize: number;
  dpSize: number;
  sharded: { path: string; dim: number }[]; // tensor path, 0-based dimension it is split along
}

export interface ShapePart {
  agentVersion: string;
  modelKey: string; // 32 hex digits
  ppRank: number; // 0-based stage
  ppSize: number; // stages in all; 1 = the whole model
  partHash: string; // 64 hex digits, as sent; canonical.ts checks it
  body: ShapeBody;
  layout: ShapeLayout;
}
