// Calls of the HTTP API. A problem answer becomes a CliError with its detail, and the place in the text the user typed where there is one.
import { printable } from "#core/printable.ts";
import type { Problem } from "#schema/api/problem.ts";
import { type RouteName, routes } from "#schema/api/routes.ts";
import type { z } from "zod";
import { caretLines } from "./carets.ts";
import { CliError } from "./cli-error.ts";
import type { Server } from "./server.ts";

export type Api = {
  readonly server: Server;
  call<N extends RouteName>(name: N, input?: { params?: Record<string, string>; query?: Record<string, string | undefined>; body?: unknown }): Promise<z.output<(typeof routes)[N]["answer"]>>;
  // Of a route that answers a file. The body is still to be read.
  download(name: RouteName, query: Record<string, string | undefined>): Promise<Response>;
  upload(kind: string, body: Uint8Array): Promise<{ uploadId: string }>;
};

const triesMax = 6;
const waitSecondsMax = 60; // what a spent budget asks for

export function openApi(server: Server): Api {
  return {
    server,
    async call(name, { params = {}, query = {}, body } = {}) {
      const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      return (await (await answerOf(server, name, params, query, init)).json()) as never;
    },
    download: (name, query) => answerOf(server, name, {}, query, {}),
    async upload(kind, body) {
      const url = new URL(`${server.url}/t/${server.tenant}/ingest/${kind}`);
      const packed = await gzip(body);
      const response = await patiently([429, 503], url, server, { method: "POST", body: packed, headers: { "content-type": "application/x-protobuf", "content-encoding": "gzip" } });
      if (!response.ok) throw await asCliError(response);
      return (await response.json()) as { uploadId: string };
    },
  };
}

async function answerOf(server: Server, name: RouteName, params: Record<string, string>, query: Record<string, string | undefined>, init: RequestInit): Promise<Response> {
  const route = routes[name];
  const url = new URL(`${server.url}/t/${server.tenant}${route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""))}`);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
  // 503 is told at once: somebody is waiting. 429 only asks to slow down.
  const response = await patiently([429], url, server, { method: route.method, ...init });
  if (!response.ok) throw await asCliError(response, query);
  return response;
}

// Sends again, after the time the server asks for, while it answers with one of these statuses.
async function patiently(statuses: readonly number[], url: URL, server: Server, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(url, server, init);
    if (!statuses.includes(response.status) || attempt === triesMax) return response;
    const why = await reasonOf(response);
    const wait = Math.min(Number(response.headers.get("retry-after") ?? 2 ** attempt) || 2 ** attempt, waitSecondsMax);
    process.stderr.write(`${why} Trying again in ${wait} s\n`);
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}

// What somebody who waits may want to change, where the server says it.
async function reasonOf(response: Response): Promise<string> {
  const { title, detail } = ((await response.json().catch(() => null)) as Partial<Problem> | null) ?? {};
  return title && detail ? printable(`${title}. ${detail}`) : `The server is busy (${response.status}).`;
}

async function send(url: URL, server: Server, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.token}` } });
  } catch (error) {
    const cause = error instanceof Error ? ((error.cause as { code?: string } | undefined)?.code ?? error.message) : String(error);
    throw new CliError(`No server answers at ${server.url} (${cause}). Is \`npm start\` running?`, "server_unreachable");
  }
}

async function asCliError(response: Response, query: Record<string, string | undefined> = {}): Promise<CliError> {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Problem;
    const problems = problem.problems ?? [];
    const typed = problem.code === "search_invalid" ? query.search : query.filter; // what the places are of
    if (typed === undefined || problems.length === 0) return new CliError(`${problem.title}. ${problems.length > 0 ? problems.map((one) => one.message).join("") : problem.detail}`, problem.code);
    const carets = caretLines(typed, problems).map((line) => `  ${line}`);
    return new CliError(`${problem.title}.`, problem.code, carets.join("\n"));
  } catch {
    return new CliError(`The server answered ${response.status} with something that is no problem document: ${text.slice(0, 200)}`, "unexpected_answer");
  }
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Response(bytes as Uint8Array<ArrayBuffer>).body!.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
