// One upload's piece of a model: its structure, and beside it how it is spread over ranks. The layout is never part of the shape's identity.
import type { ShapeBody } from "#schema/api/models.ts";

// Paths are of tensors, or patterns of them in which an index that does not matter is "*" (layout.ts).
export interface ShapeLayout {
  tpSize: number; // 1 = not sharded
  ppSize: number;
  epSize: number;
  dpSize: number;
  sharded: { path: string; dim: number }[]; // 0-based dimension the tensor is split along
  padded: { path: string; dim: number; size: number }[]; // a dimension stored larger than it logically is, over all ranks
  replicated: { path: string; replicas: number }[]; // ranks that hold the same key and value heads
  aliases: { path: string; target: string }[]; // what only buffers share: it differs by pipeline stage, so it is no part of the structure
}

export interface ShapePart {
  agentVersion: string;
  modelKey: string; // 32 hex digits
  ppRank: number; // 0-based stage
  ppSize: number; // stages in all; 1 = the whole model
  partHash: string; // 64 hex digits, as sent; canonical.ts checks it
  runId?: string | undefined; // 32 hex digits, one for all processes of a launch; undefined: the sender does not say
  body: ShapeBody;
  layout: ShapeLayout;
}
