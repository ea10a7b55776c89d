// ClickHouse's HTTP interface in front of the engine: routes, sign-in, body, answer. @clickhouse/client-web and plain fetch both speak to it.
// Invariant: an answer starts only when the query has succeeded, so its status and headers are always true.
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Credentials, Role } from "./access-config.ts";
import { exception, toClickHouseException } from "./exception.ts";
import { parseRequest, type ClickHouseRequest } from "./http-request.ts";
import type { QueryResult, QueryRunner } from "./query-runner.ts";
import { readBody } from "./request-body.ts";

const compress = promisify(gzip);
const uriBytesMax = 2 ** 20; // ClickHouse's http_max_uri_size: parameters may stand in the URI, and Node's own bound of 16 KiB would close the connection on a long one

export function createHttpServer({ runner, credentials, spoolDir }: { runner: QueryRunner; credentials: Credentials; spoolDir: string }): Server {
  const server = createServer({ maxHeaderSize: uriBytesMax }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { code, status, message } = toClickHouseException(error);
      if (response.headersSent || response.destroyed) return response.destroy();
      // The rest of a refused body is not read, so the connection cannot be used again.
      if (!request.complete) response.setHeader("Connection", "close");
      response.writeHead(status, { "Content-Type": "text/plain; charset=UTF-8", "X-ClickHouse-Exception-Code": String(code) });
      response.end(`${message}\n`);
    });
  });
  server.keepAliveTimeout = 120_000; // longer than a client's pause between requests: closing under a request would look like a failure

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/ping") {
      await runner.ping();
      return void response.end("Ok.\n");
    }
    if (url.pathname !== "/") {
      response.statusCode = 404;
      return void response.end(`There is no handle ${url.pathname}: use / for queries or /ping.\n`);
    }
    const clientGone = new AbortController();
    response.on("close", () => response.writableFinished || clientGone.abort());

    const wanted = parseRequest(url, request.headers);
    const queryId = wanted.queryId ?? randomUUID();
    response.setHeader("X-ClickHouse-Query-Id", queryId);
    const role = signIn(wanted, credentials);
    if (request.method === "GET" && wanted.query === "") return void response.end("Ok.\n");
    if (request.method === "GET" && /^\s*(INSERT|CREATE|ALTER|DROP|TRUNCATE|RENAME|OPTIMIZE)\b/i.test(wanted.query)) {
      throw exception(164, "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly: use POST");
    }
    const { sql, data, params: ofForm } = await readBody(request, { query: wanted.query, gzip: wanted.gzipBody, spoolDir, name: randomUUID() });
    try {
      const { database, settings, format, quotaKey } = wanted;
      const params = new Map([...wanted.params, ...ofForm]);
      await send(response, await runner.run({ role, queryId, quotaKey, sql, data, database, params, settings, format }, clientGone.signal), wanted.gzipAnswer);
    } finally {
      await data?.discard();
    }
  }
  return server;
}

function signIn({ user, password }: ClickHouseRequest, credentials: Credentials): Role {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  for (const role of ["reader", "writer"] as const) {
    if (credentials[role].user === user && timingSafeEqual(digest(credentials[role].password), digest(password))) return role;
  }
  throw exception(516, `${user}: Authentication failed: password is incorrect, or there is no user with such name. The users stand in access.json in the data directory`);
}

async function send(response: ServerResponse, result: QueryResult, gzipAnswer: boolean): Promise<void> {
  const written = result.lane === "insert" ? result.rowsRead : 0;
  response.setHeader("X-ClickHouse-Format", result.format);
  response.setHeader("X-ClickHouse-Timezone", "UTC");
  response.setHeader("Content-Type", contentType(result.format));
  response.setHeader(
    "X-ClickHouse-Summary",
    JSON.stringify({
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      written_rows: String(written),
      written_bytes: String(written && result.bytesRead),
      elapsed_ns: String(Math.round(result.elapsed * 1e9)),
    }),
  );
  const body = gzipAnswer ? await compress(result.bytes, { level: 1 }) : result.bytes;
  if (gzipAnswer) response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Length", body.length);
  response.end(body);
}

function contentType(format: string): string {
  if (/^JSON(Compact)?(Strings)?EachRow/.test(format)) return "application/x-ndjson; charset=UTF-8";
  if (format.startsWith("JSON")) return "application/json; charset=UTF-8";
  if (format.startsWith("TabSeparated") || format.startsWith("TSV")) return "text/tab-separated-values; charset=UTF-8";
  if (format.startsWith("CSV")) return "text/csv; charset=UTF-8";
  return "application/octet-stream";
}
