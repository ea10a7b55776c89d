// Prometheus' text exposition and OpenMetrics → samples. Never refuses a file: what is no sample is skipped and noted with its line. Names, types and labels are as
// written; what they mean is engine-readings.ts.
import { type Label, labelText } from "./label-text.ts";
import type { LineNotes } from "./line-notes.ts";

export type PrometheusSample = {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly value: number; // may be NaN or infinite
  readonly timestampS: number | null; // Unix seconds, where the line has one
  readonly line: number; // from 1
};

export type PrometheusText = { readonly samples: PrometheusSample[]; readonly types: ReadonlyMap<string, string> };

export function parsePrometheus(text: string, notes: LineNotes): PrometheusText {
  const types = new Map<string, string>();
  const found: PrometheusSample[] = [];
  const seen = new Set<string>();
  let isOpenMetrics = false;
  for (const [row, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "") continue;
    if (line.startsWith("#")) {
      if (line === "# EOF") isOpenMetrics = true;
      const [, name, type] = /^#\s*TYPE\s+(\S+)\s+(\S+)/.exec(line) ?? [];
      if (name !== undefined) types.set(unquoted(name), type!.toLowerCase());
      continue;
    }
    const sample = parseSample(line, row + 1);
    if (typeof sample === "string") {
      notes.add(sample, row + 1);
      continue;
    }
    const key = `${sample.name}{${labelText(sample.labels)}}${sample.timestampS}`;
    if (seen.has(key)) notes.add("Series that are there twice, the first kept", row + 1);
    else found.push(sample);
    seen.add(key);
  }
  // Prometheus writes milliseconds, OpenMetrics seconds; only the file's end tells which.
  const unit = isOpenMetrics ? 1 : 1_000;
  return { types, samples: found.map((one) => (one.timestampS === null ? one : { ...one, timestampS: one.timestampS / unit })) };
}

const namePattern = /[a-zA-Z_:][\w:.]*/y;
const labelPattern = /\s*(?:([a-zA-Z_][\w:.]*)|("(?:[^"\\]|\\.)*"))\s*(?:=\s*("(?:[^"\\]|\\.)*"))?\s*(,|\})/y;
const closingPattern = /\s*\}/y;
const restPattern = /^\s*(\S+)(?:\s+(-?[\d.]+(?:[eE][+-]?\d+)?))?\s*(?:#.*)?$/; // value, timestamp, exemplar

// A sample, or the sentence that says why it is none.
function parseSample(line: string, number: number): PrometheusSample | string {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  let name = take(namePattern)?.[0] ?? "";
  const labels: Label[] = [];
  if (line[at] === "{" || line.startsWith(" {", at)) {
    at = line.indexOf("{", at) + 1;
    for (let closed = take(closingPattern) !== null; !closed; ) {
      const label = take(labelPattern);
      if (label === null) return "Lines with labels that cannot be read, skipped";
      const [, plain, quoted, value, end] = label;
      // Prometheus 3 writes a name with other characters as the first item: {"my.metric", a="b"}.
      if (value === undefined && quoted !== undefined && name === "") name = unquoted(quoted);
      else if (value === undefined) return "Lines with labels that cannot be read, skipped";
      else labels.push([plain ?? unquoted(quoted!), unquoted(value)]);
      closed = end === "}" || take(closingPattern) !== null;
    }
  } else if (name !== "" && !/\s/.test(line[at] ?? "")) return "Lines that are no samples, skipped";
  const [, valueText, timestamp] = restPattern.exec(line.slice(at)) ?? [];
  if (name === "" || valueText === undefined) return "Lines that are no samples, skipped";
  const value = numberOf(valueText);
  if (value === null) return "Lines whose value is no number, skipped";
  return { name, labels, value, timestampS: timestamp === undefined ? null : Number(timestamp), line: number };
}

// As Go reads it: signs, exponents, NaN and Inf in any case.
function numberOf(text: string): number | null {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return null;
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replaceAll(/\\(.)/g, (whole, character: string) => (character === "n" ? "\n" : character === '"' || character === "\\" ? character : whole));
}
