// One way to call the API: same origin, session cookie, JSON both ways, problem+json turned into ApiError.
import type { Problem } from "#schema/api/problem.ts";
import { ApiError } from "../parts/api-error.ts";

export type ApiRequest = {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export async function fetchApi<Answer>(tenant: string, path: string, request: ApiRequest = {}): Promise<Answer> {
  const response = await send(tenant, path, request);
  const text = await response.text();
  if (!isJson(response))
    throw new ApiError({
      ...unreadable(response),
      detail: `${request.method ?? "GET"} ${path} answered ${response.headers.get("content-type") ?? "no type"} instead of JSON.`,
    });
  return JSON.parse(text) as Answer;
}

// A file, with the name that the server gives it.
export async function fetchFile(tenant: string, path: string, query: NonNullable<ApiRequest["query"]>): Promise<{ readonly name: string; readonly content: Blob }> {
  const response = await send(tenant, path, { query });
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "lamella";
  return { name, content: await response.blob() };
}

// The answer, once it is one that worked.
async function send(tenant: string, path: string, request: ApiRequest): Promise<Response> {
  const method = request.method ?? "GET";
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["x-lamella-csrf"] = "1";
  if (request.body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(apiUrl(tenant, path, request.query), {
      method,
      headers,
      credentials: "same-origin",
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: request.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError({
      status: 0,
      code: "unreachable",
      requestId: "",
      title: "The server does not answer",
      detail: "The request never got an answer. Check that the server runs and that you are online; the page tries again when you press Retry.",
    });
  }
  if (!response.ok) throw new ApiError(readProblem(response, await response.text()));
  return response;
}

export function apiUrl(tenant: string, path: string, query: ApiRequest["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(key, String(value));
  const text = search.toString();
  return `/t/${encodeURIComponent(tenant)}/api${path}${text === "" ? "" : `?${text}`}`;
}

function isJson(response: Response): boolean {
  return /\bjson\b/.test(response.headers.get("content-type") ?? "");
}

function readProblem(response: Response, text: string): Omit<Problem, "type"> {
  if (isJson(response)) {
    try {
      return { ...unreadable(response), ...(JSON.parse(text) as Problem) };
    } catch {
      // Cut short on the way: fall through to the plain status.
    }
  }
  return unreadable(response);
}

function unreadable(response: Response): Omit<Problem, "type"> {
  return {
    status: response.status,
    code: `http_${response.status}`,
    title: `The server answered ${response.status}`,
    detail: "The answer carries no explanation. It may come from something between this page and the server.",
    requestId: response.headers.get("x-request-id") ?? "",
  };
}
