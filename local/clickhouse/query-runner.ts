// One query from its text to its result: session, settings, parameters, row policy, and its end when the client goes away.
// Invariants: a reader's session is read-only and bound to one tenant before its text runs; every running query can be found and killed by its query_id.
import { tenantSetting, type Role } from "./access-config.ts";
import type { Engine, EngineResult, Execute } from "./engine.ts";
import { exception } from "./exception.ts";
import { quoteIdentifier, quoteLiteral } from "./http-request.ts";
import { createLane, laneBounds, type LaneName } from "./lane.ts";
import { createQuota, type Quota } from "./quota.ts";
import type { SpooledData } from "./request-body.ts";
import { readInsertHead, readStatement, refuseForReader } from "./statement.ts";

export interface Query {
  role: Role;
  queryId: string;
  quotaKey: string; // "" when none is named
  sql: string;
  data: SpooledData | undefined;
  database: string | undefined;
  params: ReadonlyMap<string, string>;
  settings: ReadonlyMap<string, string>;
  format: string | undefined;
}

export interface QueryResult extends EngineResult {
  format: string;
  lane: LaneName;
}

export interface QueryRunner {
  run(query: Query, clientGone: AbortSignal): Promise<QueryResult>;
  ping(): Promise<void>;
  killReads(): void; // at the end of the process
}

// The engine gives each query an id of its own choosing, so the client's id travels at the end of log_comment, which system.processes shows among the settings.
// (A comment in the query's text would not do: the engine prints a text with bound parameters anew, without comments, and a KILL would never find it.)
const mark = (queryId: string) => `query_id: ${queryId}`;
const isMarked = (queryId: string) => `endsWith(Settings['log_comment'], ${quoteLiteral(mark(queryId))})`;
const killRetryMs = 50;

export function createQueryRunner(engine: Engine, quota: Quota = createQuota()): QueryRunner {
  const lanes = { read: createLane("read"), ledger: createLane("ledger"), insert: createLane("insert"), define: createLane("define"), control: createLane("control") };
  const running = new Map<string, { role: Role; lane: LaneName; kill: () => void }>();

  async function run(query: Query, clientGone: AbortSignal): Promise<QueryResult> {
    const statement = readStatement(query.sql, query.params);
    if (query.role === "reader") refuseForReader(statement);
    const lane = statement.lane === "read" && isIngest(query) ? "ledger" : statement.lane;
    const format = statement.format ?? query.format ?? "TabSeparated";

    const target = statement.killId === undefined ? undefined : running.get(statement.killId);
    if (target && query.role === "reader" && target.role !== "reader") throw exception(164, "the reader may end the reader's queries only");
    target?.kill();
    const counted = query.role === "reader" && statement.lane === "read" && query.quotaKey !== "";
    if (counted) quota.check(query.quotaKey); // before it waits, and again when it no longer does: the budget may have gone meanwhile
    if (running.has(query.queryId)) throw exception(216, `Query with id = ${query.queryId} is already running`);

    const killed = new AbortController(); // ends it while it waits for its lane
    const settled = new AbortController();
    const kill = () => {
      if (killed.signal.aborted) return;
      killed.abort();
      killUntil(query.queryId, settled.signal).catch((error: unknown) => console.error(`KILL of ${query.queryId} failed:`, error));
    };
    running.set(query.queryId, { role: query.role, lane, kill });
    // An insert is completed even when nobody waits for the answer: its sender will send it again and the token drops the copy.
    if (statement.lane === "read") clientGone.addEventListener("abort", kill, { once: true });
    try {
      const work = () =>
        engine.session(async (execute) => {
          await prepare(execute, query, lane);
          return execute(engineText(query, statement.killId, statement.text), format);
        });
      const result = await lanes[lane].run(
        query.quotaKey,
        () => (counted ? charged(query.quotaKey, work) : work()),
        AbortSignal.any([clientGone, killed.signal]),
      );
      return { ...result, format, lane };
    } finally {
      settled.abort();
      clientGone.removeEventListener("abort", kill);
      running.delete(query.queryId);
    }
  }

  // What failed or was killed has spent its time too.
  async function charged(key: string, work: () => Promise<EngineResult>): Promise<EngineResult> {
    quota.check(key);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      quota.charge(key, (performance.now() - startedAt) / 1_000);
    }
  }

  // KILL asks; a query that has not reached the process list yet does not hear it. So it is asked again until the query has ended.
  async function killUntil(queryId: string, settled: AbortSignal): Promise<void> {
    while (!settled.aborted) {
      await engine.session((execute) => execute(`KILL QUERY WHERE ${isMarked(queryId)} ASYNC`));
      await new Promise<void>((next) => {
        const timer = setTimeout(next, killRetryMs);
        settled.addEventListener("abort", () => (clearTimeout(timer), next()), { once: true });
      });
    }
  }

  return {
    run,
    ping: () => lanes.control.run("", () => engine.session(async (execute) => void (await execute("SELECT 1")))),
    killReads: () => running.forEach(({ lane, kill }) => (lane === "read" || lane === "ledger") && kill()),
  };
}

// The consumer names its own reads so (clickhouse/client.ts, label).
const isIngest = (query: Query) => query.settings.get("log_comment")?.startsWith("ingest:") === true;

async function prepare(execute: Execute, query: Query, lane: LaneName): Promise<void> {
  if (query.database !== undefined && query.database !== "default") await execute(`USE ${quoteIdentifier(query.database)}`);
  const settings = new Map<string, string>(Object.entries(laneBounds[lane].settings));
  for (const [name, value] of query.settings) {
    if (query.role === "reader" && (name === tenantSetting || name === "readonly")) throw exception(164, `the reader cannot choose ${name}: use SQL_tenant for the tenant`);
    if (name !== "readonly" && name !== "SQL_tenant") settings.set(name, value);
  }
  settings.set("log_comment", `${query.settings.get("log_comment") ?? ""} ${mark(query.queryId)}`);
  for (const [name, value] of query.params) settings.set(`param_${name}`, value);
  // Last and in this order: once read-only, a session can change nothing about itself.
  settings.set(tenantSetting, query.settings.get("SQL_tenant") ?? settings.get(tenantSetting) ?? "");
  // KILL is not allowed in a read-only session; its text is one of ours (engineText).
  const readonly = query.role === "reader" ? (lane === "control" ? "0" : "1") : query.settings.get("readonly");
  if (readonly !== undefined) settings.set("readonly", readonly);
  for (const assignments of inTexts([...settings].map(([name, value]) => `${name} = ${quoteLiteral(value)}`))) await execute(`SET ${assignments}`);
}

const setCharactersMax = 64 * 1024; // the engine takes 256 KiB of text, and a character has at most three bytes

// Joined by commas, in their order, into as few texts as that bound allows; one that is longer stands alone.
function inTexts(assignments: readonly string[]): string[] {
  const texts: string[] = [];
  for (const one of assignments) {
    const last = texts.at(-1);
    if (last === undefined || last.length + one.length > setCharactersMax) texts.push(one);
    else texts[texts.length - 1] = `${last}, ${one}`;
  }
  return texts;
}

function engineText(query: Query, killId: string | undefined, text: string): string {
  if (killId !== undefined) {
    const format = /\bFORMAT\s+\w+\s*$/i.exec(text)?.[0] ?? "";
    return `KILL QUERY WHERE ${isMarked(killId)} ${/\bSYNC\b/.test(text.toUpperCase()) ? "SYNC" : "ASYNC"} ${format}`;
  }
  const insert = query.data && readInsertHead(query.sql);
  if (!query.data || !insert) return text;
  const compression = query.data.gzip ? " COMPRESSION 'gzip'" : "";
  return `${insert.head} FROM INFILE ${quoteLiteral(query.data.path)}${compression} ${insert.settings} FORMAT ${insert.format}`;
}
