// Completion, drawn: the cursor is |, what an accepted option would replace stands in «».
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFilter } from "#core/filter/check.ts";
import { complete, type Completion, valueOption } from "#core/filter/complete.ts";
import { lex } from "#core/filter/lexer.ts";
import { print } from "#core/filter/printer.ts";
import { fieldsOfPage, type Page } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { filterOver } from "#test/rig/filters.ts";

// "host.na«|me»" is no text: the marks are cut out, and the replaced part is asserted where they stood.
function at(drawn: string, page: Page = "flamegraph"): Completion & { readonly replaced: string } {
  const [before, after] = drawn.split(/\|(?!\|)(?<!\|\|)/).map((part) => part.replace(/[«»]/g, "")) as [string, string];
  const [plain, cursor] = [before + after, before.length];
  const completion = complete(plain, cursor, page);
  const { from, to } = completion.replace;
  return { ...completion, replaced: `${plain.slice(0, from)}«${plain.slice(from, cursor)}|${plain.slice(cursor, to)}»${plain.slice(to)}` };
}

const first = (count: number, drawn: string) => at(drawn).options.slice(0, count);

test.each([
  ["«|»", "field", "host.name"],
  ["«gpu|»", "field", "gpu.name"],
  ["«name|»", "field", "host.name"],
  ["!«|»", "field", "host.name"],
  ["not «|»", "field", "host.name"],
  ["«no|»", "field", "not"],
  ["«has|»", "field", "has("],
  ["(«k8|»", "field", "k8s.pod.name"],
  ["«k8s.|»", "field", "k8s.pod.name"],
  ["«k8s.names|»", "field", "k8s.namespace.name"],
  ['host.name == "a" && «|»', "field", "host.name"],
  ['host.name == "a" or «j|»', "field", "job.tag"],
  ["has(«|»", "argument", "host.name"],
  ["has(«clu|»", "argument", "cluster.name"],
  ["host.name «|»", "operator", "=="],
  ["host.name «=|»", "operator", "=="],
  ["host.name«!|»", "operator", "!="],
  ["host.name «no|»", "operator", "not in"],
  ["host.name not «|»", "in", "in"],
  ["host.name not «i|»", "in", "in"],
  ["host.name in «|»", "list", "["],
  ["host.name«.|»", "operator", ".contains("],
  ["host.name«.st|»", "operator", ".startsWith("],
  ["host.name «.st|»", "operator", ".startsWith("],
  ["host.name .contains «|»", "call", "("],
  ['host.name == "a" «|»', "connective", "&&"],
  ['host.name == "a" «&|»', "connective", "&&"],
  ['host.name == "a" «an|»', "connective", "and"],
  ['host.name in ["a"«|»', "separator", ","],
  ['host.name.contains("a"«|»', "close", ")"],
  ['profile.frame.type == «"gpu_k|»', "value", '"gpu_kernel"'],
  ["profile.frame.type in [«py|»", "value", '"python"'],
])("%s", (drawn, slot, option) => {
  const completion = at(drawn);
  expect({ slot: completion.slot.kind, replaced: completion.replaced, option: completion.options[0] }).toEqual({ slot, replaced: drawn, option });
});

test("what may stand in a place is offered whole", () => {
  expect(first(99, 'host.name == "a" «|»')).toEqual(["&&", "||"]);
  expect(first(99, '(host.name == "a" «|»')).toEqual(["&&", "||", ")"]);
  expect(first(99, "host.name «|»")).toEqual(["==", "!=", "in", "not in", ".contains(", ".startsWith(", ".endsWith(", ".matches("]);
  expect(first(99, "«|»")).toEqual([...fieldsOfPage("flamegraph"), "!", "(", "has("]);
  expect(at("«|»", "models").options).toEqual([...fieldsOfPage("models"), "!", "(", "has("]);
  expect(at("«gpu|»", "models").options).toEqual([]);
});

test.each([
  ["host.name == «|»", "==", ""],
  ['host.name == «"no|»', "==", "no"],
  ["host.name != «no|»", "!=", "no"],
  ['host.name in [«"|»', "in", ""],
  ['host.name in ["a", «"b|»', "in", "b"],
  ['host.name in [«"a|"», "b"]', "in", "a"],
  ["host.name.startsWith(«'no|»", "startsWith", "no"],
  ['host.name == «"no|de"» && job.tag == "x"', "==", "no"],
  ['host.name == «"no|» && job.tag == "x"', "==", "no"], // the next quote opens another value
  ['host.name == «"a \\"b|»', "==", 'a "b'],
  ["host.name == «“no|»", "==", "no"],
  ["user.tag == «env:pr|od» || has(job.tag)", "==", "env:pr"],
  ["script.name == «/opt/s|»", "==", "/opt/s"],
  ['gpu.name == «"NVIDIA |H100 80GB HBM3"»', "==", "NVIDIA "],
])("the values of an open field are the caller's: %s", (drawn, operator, typed) => {
  const completion = at(drawn);
  expect({ ...completion, replace: undefined }).toEqual({ slot: { kind: "value", field: /^[\w.]+?(?=\.startsWith| )/.exec(drawn)![0], operator }, typed, replaced: drawn, options: [], replace: undefined });
});

test.each([
  ["«gpu|» && host.name", "gpu.name"],
  ['«host.na|me» == "a"', "host.name"],
  ['«host.na|me».contains("a")', "host.name"],
  ['host.name«.con|tains(»"a")', ".contains("],
  ['host.name «=|=» "a"', "=="],
  ['has(«ho|st.name»)', "host.name"],
])("an option takes the place of the word and of nothing behind it: %s", (drawn, option) => {
  const completion = at(drawn);
  expect([completion.replaced, completion.options[0]]).toEqual([drawn, option]);
});

test.each([
  ['foo bar "x" && «h|»', "field"],
  ["&& «|»", "field"],
  ["host.name like «|»", "value"],
  ['host.name like «"a|»', "value"],
  ['host.name like "a" «|»', "connective"],
  ['host.name.includes(«"a|»', "value"],
  ['host.name.includes("a") «|»', "connective"],
  ['host.name in ["a" «"b|»', "value"],
  ['host.name in ["a" "b"] «|»', "connective"],
  ["host.name == foo «|»", "connective"],
  ['(host.name) == "a" «|»', "connective"],
  ['host.name == "\\d" || k8s.pod.name.startsWith(«"v|»', "value"],
])("after a mistake completion goes on: %s", (drawn, slot) => {
  const completion = at(drawn);
  expect([completion.replaced, completion.slot.kind]).toEqual([drawn, slot]);
});

test("a value goes in as it must be written", () => {
  expect(valueOption("==", 'a "b" \\c')).toBe('"a \\"b\\" \\\\c"');
  expect(valueOption("in", "é\n\u202e")).toBe('"é\\n\\u202e"');
  // As a pattern it matches itself.
  expect(valueOption("matches", "a<b>(c).*")).toBe('"a<b>\\\\(c\\\\)\\\\.\\\\*"');
});

test("a cursor outside the text is its nearest end, one inside a character stands behind it", () => {
  for (const cursor of [-1, -Infinity, NaN]) expect(complete("host.name", cursor, "flamegraph").replace).toEqual({ from: 0, to: 0 });
  for (const cursor of [10, 1e9, Infinity]) expect(complete("host.name", cursor, "flamegraph").replace).toEqual({ from: 0, to: 9 });
  expect(complete('host.name == "😀', 15, "flamegraph").typed).toBe("😀");
});

test("to a text over its bound nothing is offered", () => {
  expect(complete(" ".repeat(limits.filterBytesMax), limits.filterBytesMax, "flamegraph").options.length).toBeGreaterThan(13);
  expect(complete(" ".repeat(limits.filterBytesMax + 1), 0, "flamegraph").options).toEqual([]);
  expect(complete(`"${"é".repeat(limits.filterBytesMax / 2)}`, 1, "flamegraph").options).toEqual([]);
});

// Walks a filter word by word: what comes next was on offer.
test("completion leads through every filter", () => {
  fc.assert(fc.property(filterOver(), (filter) => {
    const text = print(filter);
    const { tokens } = lex(text, () => {});
    for (const token of tokens.slice(0, -1)) {
      const { slot, options, replace } = complete(text.slice(0, token.from), token.from, "flamegraph");
      expect(replace.from, text).toBeLessThanOrEqual(token.from);
      if (token.kind === "string") expect(slot.kind, text).toBe("value");
      else expect(options.some((option) => text.startsWith(option, replace.from)), `${text.slice(0, token.from)}| ${token.text}: ${options.join(" ")}`).toBe(true);
    }
    expect(complete(text, text.length, "flamegraph").slot.kind).toBe(text === "" ? "field" : "connective");
  }), { numRuns: 500 });
});

const fragment = fc.oneof(fc.constantFrom("host.name", "k8s.", "user.tag", "has(", "not", "in", "==", "=", "!", "(", ")", "[", "]", ",", '"', "'", "\\", '"a"', ".con", "&&", "|", "“", "é", "😀", "\ud83d", "\0", "\u202e", " ", "\n"), fc.string({ unit: "binary", maxLength: 6 }));

test("any text and any cursor: nothing is thrown, what is replaced is the word at the cursor, and every option fits what was typed", () => {
  fc.assert(fc.property(fc.array(fragment, { maxLength: 30 }), fc.integer({ min: -3, max: 120 }), fc.constantFrom<Page>("flamegraph", "models"), (parts, cursor, page) => {
    const text = parts.join("");
    const { replace, options, typed, slot } = complete(text, cursor, page);
    const place = Math.min(Math.max(0, cursor), text.length);
    expect(replace.from).toBeGreaterThanOrEqual(0);
    expect(replace.from).toBeLessThanOrEqual(place + 1);
    expect(replace.to).toBeGreaterThanOrEqual(place);
    expect(replace.to).toBeLessThanOrEqual(text.length);
    for (const option of options) expect(option.toLowerCase()).toContain(typed.toLowerCase());
    // An option is a word of the language or a field of the page, whatever was typed.
    if (slot.kind === "field") for (const option of options) if (option.includes(".")) expect(fieldsOfPage(page)).toContain(option);
  }), { numRuns: 5_000 });
});

test("a field taken from the offers is one the page accepts", () => {
  for (const page of ["flamegraph", "models"] as const) {
    for (const field of complete("", 0, page).options.filter((option) => option.includes("."))) expect(readFilter(`has(${field})`, page).ok).toBe(true);
  }
});
