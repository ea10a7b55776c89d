// What the rows of a top table are. Without zod, so that a page can read it before its first paint.
export const rankedBy = ["function", "kernel", "module", "class", "layer", "category", "frame"] as const;
export type RankedBy = (typeof rankedBy)[number];
