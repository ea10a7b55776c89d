// The two ways to the store. Reads go through @clickhouse/client-web as a user that may only read, with the tenant named in a setting that the row policies
// read (the second wall). Writes are Native blocks, gzip, by fetch, as a user that may only insert: client-web cannot send binary or compressed inserts.
import { createClient, type ClickHouseClient } from "@clickhouse/client-web";
import { limits } from "#schema/limits.ts";
import type { z } from "zod";
import { encodeNative, type NativeBlock } from "./native.ts";
import type { TenantScope } from "./scope.ts";
import { StoreError, storeError } from "./store-error.ts";
import { type TableName, tables } from "./tables.ts";

export type StoreConfig = {
  readonly url: string;
  readonly database: string;
  readonly reader: { readonly user: string; readonly password: string };
  readonly writer: { readonly user: string; readonly password: string };
  // A server somewhere else: inserts travel as gzip and it batches many small ones itself. The embedded engine sits on loopback, where packing costs more than
  // it saves, and runs each insert at once whatever is asked.
  readonly remote: boolean;
};

export type Query = { readonly sql: string; readonly params: Readonly<Record<string, string | number | readonly string[]>> };
// `label` names the query in the store's own logs; labels that begin with "ingest:" have a lane of their own in the embedded engine, and a budget of their own.
export type QueryOptions = { readonly label: string; readonly queryId: string; readonly signal?: AbortSignal };

export type Store = {
  // Rows of one statement, each checked by `row`. 64-bit integers arrive as strings: no digit is lost on the way.
  select<Row extends z.ZodType>(scope: TenantScope, query: Query, row: Row, options: QueryOptions): Promise<z.infer<Row>[]>;
  // One block into one table. The token names exactly this payload: the same token again stores nothing.
  insert(scope: TenantScope, table: TableName, block: NativeBlock, token: string): Promise<void>;
  ping(): Promise<boolean>;
};

const insertTimeoutMs = 60_000;

export function openStore(config: StoreConfig): Store {
  const reader = createClient({
    url: config.url,
    database: config.database,
    username: config.reader.user,
    password: config.reader.password,
    request_timeout: limits.queryMsMax + 5_000,
    keep_alive: { enabled: true },
    // Parameters in the body: a name may have 16 kB, several of them are longer than a URL can be (workerd ends at 64 kB).
    use_multipart_params: true,
  });
  return {
    select: (scope, query, row, options) => select(reader, scope, query, row, options),
    insert: (scope, table, block, token) => insert(config, scope, table, block, token),
    ping: async () => (await reader.ping()).success,
  };
}

async function select<Row extends z.ZodType>(
  reader: ClickHouseClient, scope: TenantScope, query: Query, row: Row, options: QueryOptions,
): Promise<z.infer<Row>[]> {
  try {
    const answer = await reader.query({
      query: query.sql,
      query_params: { ...query.params, tenant: scope.tenantId },
      format: "JSONEachRow",
      query_id: options.queryId,
      http_headers: { "X-ClickHouse-Quota": quotaKey(scope, options) },
      ...(options.signal ? { abort_signal: options.signal } : {}),
      clickhouse_settings: {
        log_comment: options.label,
        SQL_tenant: scope.tenantId,
        max_execution_time: limits.queryMsMax / 1000,
        max_memory_usage: String(limits.queryMemoryBytesMax),
        max_rows_to_read: String(limits.queryRowsToReadMax),
        max_result_rows: String(limits.queryResultRowsMax),
        max_result_bytes: String(limits.queryResultBytesMax),
        output_format_json_quote_64bit_integers: 1,
        cancel_http_readonly_queries_on_client_close: 1,
      },
    });
    return rowsOfText(await answer.text()).map((one) => row.parse(one));
  } catch (error) {
    if (options.signal?.aborted) throw new StoreError("cancelled", 0, "the caller went away");
    throw asStoreError(error, false);
  }
}

// Whose budget a read spends (docs/deploy.md). What ingest asks has another than the pages of its tenant: they may spend theirs, and uploads are stored on.
function quotaKey({ tenantId }: TenantScope, { label }: QueryOptions): string {
  return label.startsWith("ingest:") ? `ingest:${tenantId}` : tenantId;
}

// As one text and one JSON: the client's own way, row by row out of the stream, takes 50 ms more for a flamegraph. A query that fails after its first rows ends in the
// error instead of a row; newlines and carriage returns inside a row are escaped.
export function rowsOfText(text: string): unknown[] {
  const late = text.search(/\r\n__exception__|(?:^|\n)Code: \d+\. DB::Exception/);
  if (late !== -1) throw storeError(codeInText(text.slice(late)), text.slice(late), false);
  return JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`) as unknown[];
}

async function insert(config: StoreConfig, scope: TenantScope, table: TableName, block: NativeBlock, token: string): Promise<void> {
  if (block.rows === 0) return;
  if (!token.startsWith(`${scope.tenantId}:`)) throw new Error("an insert token starts with its tenant, else two tenants' equal uploads would drop each other");
  const columns = Object.keys(tables[table]).join(", ");
  const url = new URL(config.url);
  const settings: Record<string, string> = {
    query: `INSERT INTO ${table} (${columns}) FORMAT Native`,
    database: config.database,
    insert_deduplication_token: token,
    deduplicate_blocks_in_dependent_materialized_views: "1",
    insert_deduplicate: "1",
    // One block per insert, so one token is one block: the server must not split it.
    max_insert_block_size: "1000000",
    min_insert_block_size_rows: "0",
    min_insert_block_size_bytes: "0",
    ...(config.remote ? { async_insert: "1", wait_for_async_insert: "1", async_insert_deduplicate: "1" } : {}),
  };
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  let response: Response;
  let text: string;
  const encoded = encodeNative(block);
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { ...(config.remote ? { "content-encoding": "gzip" } : {}), "x-clickhouse-user": config.writer.user, "x-clickhouse-key": config.writer.password },
      body: config.remote ? await gzip(encoded) : (encoded as BodyInit),
      signal: AbortSignal.timeout(insertTimeoutMs),
    });
    // Always drained: an unread body keeps the connection. An insert that worked answers nothing, so text inside a 200 is an error that came late.
    text = await response.text();
  } catch (error) {
    throw asStoreError(error, true);
  }
  const code = Number(response.headers.get("x-clickhouse-exception-code") ?? 0);
  if (!response.ok || code !== 0 || text.trim() !== "") throw storeError(code || codeInText(text), text, true);
}

async function gzip(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Response(bytes as BodyInit).body!.pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).arrayBuffer();
}

function codeInText(text: string): number {
  return Number(/Code: (\d+)\./.exec(text)?.[1] ?? 0);
}

function asStoreError(error: unknown, inserting: boolean): Error {
  if (error instanceof StoreError) return error;
  const thrown = error as { name?: string; code?: string; message?: string };
  if (thrown.name === "ZodError") return error as Error; // our own schema disagrees with the answer: a fault, never "try again"
  const code = Number(thrown.code ?? 0) || codeInText(thrown.message ?? "");
  return storeError(code, String(thrown.message ?? error), inserting);
}
