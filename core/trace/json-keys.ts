// The keys at the top of a JSON document, from its beginning alone: enough to tell formats apart without reading the file.
// Of an array, the keys of its first element. Strings with escapes are compared as written.

export type JsonKeys = {
  array: boolean;
  keys: string[]; // of the document, or of the array's first element
  schema: string; // value of "$schema" where it is among them
};

export function jsonKeys(head: string): JsonKeys | undefined {
  const start = head.search(/\S/);
  const array = head[start] === "[";
  if (!array && head[start] !== "{") return undefined;
  const level = array ? 2 : 1;
  const keys: string[] = [];
  let schema = "";
  let depth = 0;
  let key = "";
  for (const { 0: token } of head.slice(start).matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") {
      if (depth-- === level && array) break;
    } else if (depth === level) {
      const text = token.slice(1, token.lastIndexOf('"'));
      if (token.endsWith(":")) keys.push((key = text));
      else if (key === "$schema") schema = text;
    }
  }
  return { array, keys, schema };
}
