// Search in a flamegraph. Terms are joined by comma (OR): a term is a substring, or /a regular expression/ of RE2, as in filters; both ignore case.
// clickhouse/frame-search.ts asks the store the same.
// A backslash makes the next comma, slash or backslash literal outside /…/, so `searchFor(name)` can name any frame.
// Invariant: the share is a union. A match below another match is already inside it and is never added twice; "(other)" and the root never match,
// so with a cut tree the share is a lower bound.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { javascriptRegex, regexFault } from "#core/regex.ts";
import { regexSteps, stepsText } from "#core/regex-steps.ts";
import { encodeUtf8 } from "../utf8.ts";
import type { TreeIndex } from "./tree-index.ts";

// `text`: lower-case what a name must contain, or what stands between the slashes.
export type SearchTerm = { readonly text: string; readonly from: number; readonly to: number; readonly pattern?: RegExp };
// `from` and `to` are UTF-16 offsets in the searched text.
export type SearchProblem = { readonly kind: "regex_invalid" | "regex_too_heavy" | "too_long"; readonly from: number; readonly to: number; readonly message: string };
export type Search = { readonly text: string; readonly terms: readonly SearchTerm[]; readonly problems: readonly SearchProblem[] };

export type SearchHits = {
  readonly matched: Uint8Array; // per node: 1 where the frame's name matches
  readonly inside: Uint8Array; // per node: 1 where it or an ancestor matches
  readonly leads: Uint8Array; // per node: 1 where it or something below matches: the paths to draw or print
  readonly nodes: number; // matching nodes
  readonly names: number; // distinct names among them
  readonly total: number; // value of the union, in the answer's unit
  readonly share: number; // of the root total, 0…1; 0 when there is nothing
  readonly byKind: readonly { readonly kind: FrameKindName; readonly nodes: number; readonly total: number; readonly share: number }[]; // heaviest first
};

// Never throws. A text with problems has only its valid terms; an empty text has no terms and matches nothing.
export function parseSearch(text: string): Search {
  const terms: SearchTerm[] = [];
  const problems: SearchProblem[] = [];
  if (encodeUtf8(text).length > limits.searchBytesMax) {
    return { text, terms, problems: [{ kind: "too_long", from: 0, to: text.length, message: `A search may be ${limits.searchBytesMax} bytes long` }] };
  }
  let steps = 0; // of all patterns together
  let at = 0;
  while (at < text.length) {
    if (text[at] === "," || text[at] === " ") {
      at++;
      continue;
    }
    const from = at;
    const close = text[at] === "/" ? regexEnd(text, at) : -1;
    if (close > 0) {
      const source = text.slice(from + 1, close - 1);
      const fault = regexFault(source);
      const pattern = fault === undefined ? javascriptRegex(ignoringCase(source)) : undefined;
      const all = steps + (pattern === undefined ? 0 : regexSteps(source));
      if (pattern === undefined) {
        problems.push({ kind: "regex_invalid", from, to: close, message: `Not an RE2 pattern${fault === undefined ? " that can be searched for: flags such as (?s) stand at its beginning only" : `: ${fault}`}` });
      } else if (all > limits.filterRegexStepsMax) {
        problems.push({ kind: "regex_too_heavy", from, to: close, message: `With repetitions written out the patterns up to here have ${stepsText(all)}, at most ${limits.filterRegexStepsMax} are taken; count less in {…}` });
      } else {
        terms.push({ text: source, from, to: close, pattern });
        steps = all;
      }
      at = close;
      continue;
    }
    let term = "";
    while (at < text.length && text[at] !== ",") {
      if (text[at] === "\\" && at + 1 < text.length && "\\,/".includes(text[at + 1] as string)) at++;
      term += text[at++];
    }
    term = term.trimEnd();
    if (term !== "") terms.push({ text: term.toLowerCase(), from, to: from + text.slice(from, at).trimEnd().length });
  }
  return { text, terms, problems };
}

// The pattern as RE2 takes it, flags of its own kept.
export function ignoringCase(source: string): string {
  return source.replace(/^(?:\(\?([ims]+)\))?/, (_, flags: string | undefined) => `(?${[...new Set(`i${flags ?? ""}`)].join("")})`);
}

// The search text that finds exactly the frames whose name contains `name`, whatever characters it has.
export function searchFor(name: string): string {
  // A slash starts a regex where a term starts, and a term starts after the blanks.
  return name.replaceAll(/[\\,]/g, "\\$&").replace(/^( *)\//, "$1\\/");
}

export function matches(search: Search, name: string): boolean {
  const lower = name.toLowerCase();
  return search.terms.some((term) => (term.pattern ? term.pattern.test(name) : lower.includes(term.text)));
}

// Each distinct frame is tested once: an answer has far fewer frames than nodes.
export function searchTree(graph: Pick<Flamegraph, "nodes" | "frames">, index: TreeIndex, search: Search): SearchHits {
  const { nodes, frames } = graph;
  const frameMatches = frames.name.map((name, frame) => frames.kind[frame] !== "root" && frames.kind[frame] !== "other" && matches(search, name));
  const matched = new Uint8Array(index.size);
  const inside = new Uint8Array(index.size);
  const leads = new Uint8Array(index.size);
  const names = new Set<string>();
  const all = new Union();
  const byKind = new Map<FrameKindName, Union>();
  for (let node = 0; node < index.size; node++) {
    const frame = nodes.frame[node] as number;
    if (frameMatches[frame]) {
      const kind = frames.kind[frame] as FrameKindName;
      const ofKind = byKind.get(kind) ?? new Union();
      byKind.set(kind, ofKind);
      matched[node] = 1;
      names.add(frames.name[frame] as string);
      for (const union of [all, ofKind]) union.add(node, index.end[node] as number, nodes.total[node] as number);
    }
    inside[node] = node < all.coveredTo ? 1 : 0;
  }
  for (let node = index.size - 1; node >= 0; node--) {
    if (matched[node]) leads[node] = 1;
    if (leads[node] && node > 0) leads[nodes.parent[node] as number] = 1;
  }
  const whole = nodes.total[0] ?? 0;
  const share = (value: number) => (whole > 0 ? value / whole : 0);
  const kinds = [...byKind].map(([kind, { nodes, total }]) => ({ kind, nodes, total, share: share(total) })).sort((a, b) => b.total - a.total);
  return { matched, inside, leads, nodes: all.nodes, names: names.size, total: all.total, share: share(all.total), byKind: kinds };
}

// Nodes arrive depth-first, so one bound tells whether a node lies under one that was already counted.
class Union {
  nodes = 0;
  total = 0;
  coveredTo = 0;

  add(node: number, end: number, total: number): void {
    this.nodes++;
    if (node < this.coveredTo) return;
    this.total += total;
    this.coveredTo = end;
  }
}

// The closing slash of a regular expression is the first one that is not escaped and ends the term; -1 when there is none (a path is then a substring).
function regexEnd(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "/" && at > open + 1 && /^ *(,|$)/.test(text.slice(at + 1))) return at + 1;
  }
  return -1;
}
