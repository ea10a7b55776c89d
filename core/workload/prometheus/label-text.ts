// Labels as one text, the way they are sent, stored and asked for: "k=v,k=v", sorted by key. In keys and values % , = are written %25 %2C %3D, so a comma always
// separates and the first = always ends a key: the store finds a label without parsing anything.

export type Label = readonly [key: string, value: string];

export function labelText(labels: readonly Label[]): string {
  return labels.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).sort().join(",");
}

// Null when the text is not of that form.
export function labelsOf(text: string): Label[] | null {
  if (text === "") return [];
  const labels: Label[] = [];
  for (const pair of text.split(",")) {
    const [key = "", value, ...more] = pair.split("=");
    if (key === "" || value === undefined || more.length > 0) return null;
    labels.push([unescaped(key), unescaped(value)]);
  }
  return labels;
}

const codes: Readonly<Record<string, string>> = { "%": "%25", ",": "%2C", "=": "%3D" };

function escaped(text: string): string {
  return text.replaceAll(/[%,=]/g, (character) => codes[character]!);
}

function unescaped(text: string): string {
  return text.replaceAll("%3D", "=").replaceAll("%2C", ",").replaceAll("%25", "%");
}
