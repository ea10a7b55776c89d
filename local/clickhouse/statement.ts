// What the front must know of a statement before the engine sees it: which lane it takes, where the data of an INSERT begins, and what is refused because chDB
// would do it and a server would not (several statements at once, files of this machine).
import { exception } from "./exception.ts";
import type { LaneName } from "./lane.ts";

export interface Statement {
  text: string; // without a trailing semicolon
  lane: LaneName;
  format: string | undefined; // of the FORMAT clause
  killId: string | undefined; // KILL QUERY WHERE query_id = '…' | {name:String}
}

const quotedOrComment = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`|--[^\n]*|#![^\n]*|\/\*[\s\S]*?\*\//g;

// Same length, so positions stay: comments become spaces, what is between quotes becomes underscores.
export function blank(sql: string): string {
  return sql.replace(quotedOrComment, (match) =>
    /^[-#/]/.test(match) ? " ".repeat(match.length) : match[0] + "_".repeat(match.length - 2) + match[0],
  );
}

const killById = /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*(?:'([^'\\]*)'|\{\s*(\w+)\s*:\s*String\s*\})\s*(?:SYNC|ASYNC)?\s*(?:FORMAT\s+\w+)?\s*$/i;

export function readStatement(sql: string, params: ReadonlyMap<string, string>): Statement {
  const blanked = blank(sql);
  let end = blanked.length; // a trailing comment is blank by now and goes too
  while (end > 0 && /[\s;]/.test(blanked[end - 1] ?? "")) end -= 1;
  const text = sql.slice(0, end);
  const bare = blanked.slice(0, end);
  if (bare.trim() === "") throw exception(62, "Empty query");
  if (bare.includes(";")) throw exception(62, "Multi-statements are not allowed: send one statement a request");
  if (/\b(INFILE|OUTFILE)\b/i.test(bare)) throw exception(48, "FROM INFILE and INTO OUTFILE are not served over HTTP: send or read the data in the body");
  const kill = killById.exec(text);
  const killId = kill ? (kill[1] ?? params.get(kill[2] ?? "")) : undefined;
  const first = /[A-Za-z]+/.exec(bare)?.[0]?.toUpperCase() ?? "";
  return { text, lane: lanes[first] ?? "define", format: /\bFORMAT\s+(\w+)/i.exec(bare)?.[1], killId };
}

const lanes: Readonly<Record<string, LaneName>> = {
  SELECT: "read", WITH: "read", SHOW: "read", DESCRIBE: "read", DESC: "read", EXPLAIN: "read", EXISTS: "read", CHECK: "read", FROM: "read", INSERT: "insert", KILL: "control",
};

// The policies hold as long as a session cannot change its settings. The engine refuses SET and the outer SETTINGS of a read-only session, but not SETTINGS in a
// sub-select, and mergeTreeIndex() shows key values past any policy: so a reader's text may not hold these words at all, not even inside quotes.
export function refuseForReader({ text, lane, killId }: Statement): void {
  const word = /\bsettings\b|\bmergeTree\w*\s*\(/i.exec(text)?.[0];
  if (word) throw exception(164, `"${word}" is not allowed in a query of the reader: give settings in the URL`);
  if (lane !== "read" && killId === undefined) throw exception(164, "the reader only reads: use the writer's user");
}

export interface InsertHead {
  head: string; // INSERT INTO t (a, b)
  settings: string; // SETTINGS … or ""
  format: string;
  dataAt: number; // offset of the data behind the clause
}

// An INSERT whose data comes with the request; undefined for every other statement (also INSERT … SELECT).
export function readInsertHead(sql: string): InsertHead | undefined {
  const blanked = blank(sql);
  const clause = /^\s*INSERT\s+INTO\b[\s\S]*?\b(?:FORMAT\s+(\w+)|VALUES(?=\s*(?:\(|$)))[^\S\n]*\n?/i.exec(blanked);
  if (!clause) return undefined;
  const before = blanked.slice(0, clause[0].search(/\b(?:FORMAT\s+\w+|VALUES)[^\S\n]*\n?$/i));
  if (/\b(SELECT|WITH|INFILE)\b/i.test(before)) return undefined;
  const settingsAt = /\bSETTINGS\b/i.exec(before)?.index ?? before.length;
  const dataAt = clause[0].length;
  return { head: sql.slice(0, settingsAt).trim(), settings: sql.slice(settingsAt, before.length).trim(), format: clause[1] ?? "Values", dataAt };
}
