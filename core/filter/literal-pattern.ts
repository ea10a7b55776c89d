// Patterns that are plain texts: what completion can go on from, and how a value becomes one.

const special = /[\\^$.*+?()[\]{}|]/g;

// The pattern that matches the value and whatever follows it.
export function patternOf(value: string): string {
  return value.replace(special, "\\$&");
}

// The text that a pattern spells out, and the ^ before it; undefined when it is more than a text.
export function literalOf(pattern: string): { readonly head: "" | "^"; readonly text: string } | undefined {
  const head = pattern.startsWith("^") ? "^" : "";
  const rest = pattern.slice(head.length);
  const text = rest.replace(/\\([\\^$.*+?()[\]{}|])/g, "");
  if (text.search(special) !== -1) return undefined;
  return { head, text: rest.replace(/\\(.)/gs, "$1") };
}
