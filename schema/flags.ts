// Feature flags: a closed list. A flag gates pages and routes, never the capture or storage of data. A missing row or a broken store means the default.

export const flags = {
  models: { default: false, title: "Models", gates: "the Models page and its API; layer frames in the flamegraph do not depend on it", owner: "models" },
} as const satisfies Record<string, { default: boolean; title: string; gates: string; owner: string }>;

export type Flag = keyof typeof flags;

export const flagNames = Object.keys(flags) as Flag[];
