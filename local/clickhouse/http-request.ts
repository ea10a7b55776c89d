// ClickHouse's HTTP interface, request side: where the user, the query, its parameters and its settings may stand (URL, headers, body).
// Invariant: a value from a request reaches the engine as a quoted literal or as a parameter, never as bare SQL.
import type { IncomingHttpHeaders } from "node:http";
import { exception } from "./exception.ts";

export interface ClickHouseRequest {
  user: string;
  password: string;
  database: string | undefined;
  queryId: string | undefined;
  query: string; // the part in the URL; the body follows it
  quotaKey: string; // whose budget it spends; "" when none is named
  params: Map<string, string>; // values in ClickHouse's escaped text form, as sent
  settings: Map<string, string>;
  format: string | undefined; // for a statement without a FORMAT clause
  gzipBody: boolean;
  gzipAnswer: boolean;
}

// Settings of the HTTP layer of a server: they ask for what this front does anyway, or for progress headers, which it does not send.
const httpOnly = new Set([
  "wait_end_of_query", "send_progress_in_http_headers", "http_headers_progress_interval_ms", "http_response_buffer_size", "buffer_size", "enable_http_compression",
  "http_zlib_compression_level", "http_write_exception_in_output_format", "cancel_http_readonly_queries_on_client_close", "add_http_cors_header",
  "session_timeout", "stacktrace", "compress", "decompress",
]);

export function parseRequest(url: URL, headers: IncomingHttpHeaders): ClickHouseRequest {
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const request: ClickHouseRequest = {
    ...readUser(url, header),
    database: header("x-clickhouse-database"),
    queryId: header("x-clickhouse-query-id"),
    query: "",
    quotaKey: header("x-clickhouse-quota") ?? "",
    params: new Map(),
    settings: new Map(),
    format: header("x-clickhouse-format"),
    gzipBody: false,
    gzipAnswer: /\bgzip\b/.test(header("accept-encoding") ?? "") && url.searchParams.get("enable_http_compression") === "1",
  };
  const encoding = header("content-encoding") ?? "identity";
  if (encoding !== "gzip" && encoding !== "identity") throw exception(48, `Content-Encoding ${encoding} is not served: send gzip or none`);
  request.gzipBody = encoding === "gzip";

  for (const [name, value] of url.searchParams) {
    if (name === "user" || name === "password") continue;
    if (name === "query") request.query = value;
    else if (name === "database") request.database = value;
    else if (name === "query_id") request.queryId = value;
    else if (name === "quota_key") {
      if (request.quotaKey !== "") throw exception(36, "Invalid authentication: it is not allowed to use quota key as HTTP header and as parameter simultaneously");
      request.quotaKey = value;
    }
    else if (name === "default_format") request.format = value;
    else if (name === "session_id") throw exception(48, "session_id is not served: every request has a session of its own");
    else if (name === "compress" || name === "decompress") {
      if (value !== "0") throw exception(48, `${name}=1 (ClickHouse's own block compression) is not served: use gzip`);
    } else if (httpOnly.has(name)) continue;
    else if (!/^\w+$/.test(name)) throw exception(36, `"${name}" is not the name of a setting or parameter`);
    else if (name.startsWith("param_")) request.params.set(name.slice("param_".length), value);
    else request.settings.set(name, value);
  }
  if (request.queryId !== undefined && !/^[\w.:/-]{1,128}$/.test(request.queryId)) {
    throw exception(36, "query_id must be 1 to 128 characters of A-Z a-z 0-9 _ . : / -");
  }
  return request;
}

function readUser(url: URL, header: (name: string) => string | undefined): { user: string; password: string } {
  const user = header("x-clickhouse-user");
  if (user !== undefined) return { user, password: header("x-clickhouse-key") ?? "" };
  const basic = /^Basic (.+)$/i.exec(header("authorization") ?? "")?.[1];
  if (basic !== undefined) {
    const [name = "", ...rest] = Buffer.from(basic, "base64").toString("utf8").split(":");
    return { user: name, password: rest.join(":") };
  }
  return { user: url.searchParams.get("user") ?? "default", password: url.searchParams.get("password") ?? "" };
}

export const quoteLiteral = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
export const quoteIdentifier = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
