// How deep the lists and objects of a JSON text go, told before it is parsed: what walks a parsed value by recursion (JSON.stringify too) ends in a stack overflow
// at some 10,000 levels, and 200,000 are 200 kB.
import { limits } from "#schema/limits.ts";

// True beyond jsonNestingMax. The text need not be JSON: brackets outside of quotes are counted.
export function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === 0x22) at = closingQuote(json, at + 1);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limits.jsonNestingMax) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

// Where the string ends whose first byte is at `from`; the length of the text when it does not.
function closingQuote(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(0x22, from); at >= 0; at = json.indexOf(0x22, at + 1)) {
    let escapes = at;
    while (escapes > from && json[escapes - 1] === 0x5c) escapes--;
    if ((at - escapes) % 2 === 0) return at;
  }
  return json.length;
}

export const nestingProblem = `lists or objects in it are nested deeper than ${limits.jsonNestingMax} levels (jsonNestingMax)`;
