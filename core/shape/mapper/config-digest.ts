// The digest of the configuration inside a model_tree.json (docs/shape-format.md, "config digest"). It is that of Python's canonical JSON, and Python tells 1.0 from 1
// and writes 1e-06 where JavaScript does not: so numbers are taken from the text as they stand there, which Python wrote.
import { closingQuote } from "../../json-text.ts";
import { sha256Hex } from "../../sha256.ts";
import { compareAsUtf8 } from "../canonical.ts";

const nestingMax = 16; // as agent-native/python/lamella/identity.py: what lies deeper is left out
const integerMax = 2n ** 63n; // likewise

// `json`: a whole document that parses. Of its configuration, the member "config"; "" when that is absent, empty or no object.
export function configDigest(json: string): string {
  const config = memberText(json, "config")?.trim();
  if (config === undefined || !config.startsWith("{")) return "";
  const text = new ConfigText(config).value(0);
  return text === undefined || text === "{}" ? "" : sha256Hex(text);
}

// The text of a member of the document's object; of several, the first.
function memberText(json: string, member: string): string | undefined {
  let depth = 0;
  let key = "";
  let start = -1;
  for (let at = 0; at < json.length; at++) {
    const character = json[at]!;
    if (character === '"') {
      const end = closingQuote(json, at + 1);
      if (depth === 1) key = json.slice(at + 1, end - 1);
      at = end - 1;
    } else if (character === ":" && depth === 1 && start < 0 && key === member) start = at + 1;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (start >= 0 && ((character === "," && depth === 1) || depth === 0)) return json.slice(start, at);
  }
  return undefined;
}

// Valid JSON (but for NaN and Infinity) read once from its beginning and written anew: sorted keys, no blanks, ASCII. Undefined: left out.
class ConfigText {
  private at = 0;
  private readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  value(depth: number): string | undefined {
    const first = this.peek();
    if (first === '"') return asciiText(this.string());
    if (first === "{") return this.object(depth);
    if (first === "[") return this.list(depth);
    return scalarText(this.word());
  }

  private object(depth: number): string | undefined {
    const members = new Map<string, string>(); // of a key written twice, the last counts, as in Python
    for (this.at++; this.peek() !== "}"; this.skip(",")) {
      const key = this.string();
      this.peek();
      this.at++; // the colon
      const value = this.value(depth + 1);
      if (value !== undefined && !key.startsWith("_")) members.set(key, value);
    }
    this.at++;
    const sorted = [...members].sort(([a], [b]) => compareAsUtf8(a, b));
    return depth > nestingMax ? undefined : `{${sorted.map(([key, value]) => `${asciiText(key)}:${value}`).join(",")}}`;
  }

  private list(depth: number): string | undefined {
    const values: string[] = [];
    for (this.at++; this.peek() !== "]"; this.skip(",")) {
      const value = this.value(depth + 1);
      if (value !== undefined) values.push(value);
    }
    this.at++;
    return depth > nestingMax ? undefined : `[${values.join(",")}]`;
  }

  private peek(): string {
    while (/\s/.test(this.json[this.at] ?? "")) this.at++;
    return this.json[this.at] ?? "";
  }

  private skip(character: string): void {
    if (this.peek() === character) this.at++;
  }

  private string(): string {
    this.peek();
    const start = this.at;
    this.at = closingQuote(this.json, start + 1);
    return JSON.parse(this.json.slice(start, this.at)) as string;
  }

  private word(): string {
    const start = this.at;
    while (!/[\s,\]}]/.test(this.json[this.at] ?? ",")) this.at++;
    return this.json.slice(start, this.at);
  }
}

function scalarText(word: string): string | undefined {
  if (word === "true" || word === "false" || word === "null") return word;
  if (/^-?\d+$/.test(word)) return word.length <= 20 && magnitude(BigInt(word)) <= integerMax ? word : undefined;
  return Number.isFinite(Number(word)) ? word : undefined; // NaN and the infinities are no JSON
}

function magnitude(integer: bigint): bigint {
  return integer < 0n ? -integer : integer;
}

// As Python's json writes it with ensure_ascii.
function asciiText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
