// The cursor is drawn as |.
import { expect, test } from "vitest";
import { complete } from "#core/filter/complete.ts";
import { parse } from "#core/filter/parser.ts";
import { acceptCompletion, type Typed } from "#dashboard/parts/accept-completion.ts";

const read = (drawn: string): Typed => ({ text: drawn.replace("|", ""), cursor: drawn.indexOf("|") });
const draw = ({ text, cursor }: Typed): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

test.each([
  ["ho|", "host.name", "host.name |"],
  ["host.name |", "==", "host.name == |"],
  ["host.name |", ".contains(", "host.name.contains(|"],
  ["host.name.st|", ".startsWith(", "host.name.startsWith(|"],
  ["host.name |", "in", "host.name in [|"],
  ["host.name == no|", '"node-7"', 'host.name == "node-7" |'],
  ["host.name.contains(|", '"no"', 'host.name.contains("no") |'],
  ['host.name in ["a", |', '"b"', 'host.name in ["a", "b"|'],
  ['host.name == "a"|', "&&", 'host.name == "a" && |'],
  ['host.name in ["a"|', "]", 'host.name in ["a"] |'],
  ['gpu| && host.name == "a"', "gpu.name", 'gpu.name | && host.name == "a"'],
])("%s + %s", (drawn, option, after) => {
  const typed = read(drawn);
  expect(draw(acceptCompletion(typed.text, complete(typed.text, typed.cursor, "flamegraph"), option))).toBe(after);
});

test("a filter put together from completions alone parses", () => {
  let typed: Typed = { text: "", cursor: 0 };
  for (const option of ["k8s.namespace.name", "not in", '"a"', ",", '"b"', "]", "&&", "host.name", ".startsWith(", '"node-"', "||", "gpu.name", "!=", '"H100"'])
    typed = acceptCompletion(typed.text, complete(typed.text, typed.cursor, "flamegraph"), option);
  expect(typed.text).toBe('k8s.namespace.name not in ["a", "b"] && host.name.startsWith("node-") || gpu.name != "H100" ');
  expect(parse(typed.text).problems).toEqual([]);
});
