// Paths of modules, dotted from the root: "model.layers.17.self_attn"; "" = the root. What shapes and layer frames both read in them.

// A name that containers give by position: decimal digits, no leading zero. The store's SQL has the pattern from here.
export const indexPattern = "^(0|[1-9][0-9]{0,14})$";
const index = new RegExp(indexPattern);

export function isIndex(name: string): boolean {
  return index.test(name);
}

// What all copies of a module have in common: every index is "*".
export function pathPattern(path: string): string {
  return path.split(".").map((step) => (isIndex(step) ? "*" : step)).join(".");
}

// The attribute a module is held by, with the containers in front while it is an index: "self_attn", "layers.17", "h.0.1".
export function attributeName(path: string): string {
  const steps = path.split(".");
  let start = steps.length - 1;
  while (start > 0 && isIndex(steps[start]!)) start--;
  return steps.slice(start).join(".");
}
