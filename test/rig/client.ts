// A caller of the HTTP API in flow tests. Every answer it gets is held to the contract: the status, the content type, and the zod schema of the route or of a
// problem, in strict form (what the schema keeps must be the whole answer, so that an unknown key fails).
import { expect } from "vitest";
import type { z } from "zod";
import { problem, type Problem } from "#schema/api/problem.ts";
import { type Route, type RouteName, routes } from "#schema/api/routes.ts";
import { type ErrorCode, errors } from "#schema/errors.ts";
import type { UploadKind } from "#schema/upload-message.ts";
import { gzip } from "#test/rig/uploads.ts";

export type Input = { readonly params?: Record<string, string>; readonly query?: Record<string, string>; readonly body?: unknown };
export type Raw = { readonly status: number; readonly headers: Headers; readonly text: string };
export type Answer<N extends RouteName> = z.output<(typeof routes)[N]["answer"]>;
export type Sent = { readonly contentType?: string | null; readonly encoding?: string | null };

export class Client {
  readonly tenantId: string;
  readonly slug: string;
  readonly token: string;
  readonly #url: () => string;

  constructor(url: () => string, tenant: { readonly id: string; readonly slug: string }, token: string) {
    this.#url = url;
    this.tenantId = tenant.id;
    this.slug = tenant.slug;
    this.token = token;
  }

  // The same token on another tenant's address, or another token on this one.
  at(slug: string): Client {
    return new Client(this.#url, { id: this.tenantId, slug }, this.token);
  }

  as(token: string): Client {
    return new Client(this.#url, { id: this.tenantId, slug: this.slug }, token);
  }

  // One request, its answer as it came.
  async raw(method: string, path: string, init: { readonly headers?: Record<string, string>; readonly body?: BodyInit } = {}): Promise<Raw> {
    const authorization: Record<string, string> = this.token === "" ? {} : { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.#url()}${path}`, { method, redirect: "manual", ...init, headers: { ...authorization, ...init.headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async send(name: RouteName, { params = {}, query = {}, body }: Input = {}, headers: Record<string, string> = {}): Promise<Raw> {
    const route: Route = routes[name];
    const path = route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
    const search = new URLSearchParams(query).toString();
    const json = body === undefined ? {} : { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { "content-type": body instanceof Uint8Array ? "application/x-protobuf" : "application/json" };
    return heldToContract(name, await this.raw(route.method, `/t/${this.slug}${path}${search && `?${search}`}`, { headers: { ...type, ...headers }, ...json }));
  }

  async get<N extends RouteName>(name: N, input: Input = {}): Promise<Answer<N>> {
    const answer = await this.send(name, input);
    expect(answer.status, `${name} ${JSON.stringify(input)} ${answer.text}`).toBe((routes[name] as Route).status ?? 200);
    return JSON.parse(answer.text) as Answer<N>;
  }

  async refused(code: ErrorCode, name: RouteName, input: Input = {}): Promise<Problem> {
    return asProblem(code, await this.send(name, input));
  }

  // Sends the bytes as they are; `encoding` null sends no Content-Encoding.
  async post(kind: UploadKind | string, bytes: Uint8Array<ArrayBuffer>, { contentType = "application/x-protobuf", encoding = null }: Sent = {}): Promise<Raw> {
    const headers = { ...(contentType === null ? {} : { "content-type": contentType }), ...(encoding === null ? {} : { "content-encoding": encoding }) };
    return heldToContract("ingest", await this.raw("POST", `/t/${this.slug}/ingest/${kind}`, { headers, body: bytes }));
  }

  // A body as agents send it: gzip. Answers the upload id.
  async upload(kind: UploadKind, body: Uint8Array): Promise<string> {
    const answer = await this.post(kind, gzip(body), { encoding: "gzip" });
    expect(answer.status, answer.text).toBe(202);
    return (JSON.parse(answer.text) as { uploadId: string }).uploadId;
  }

  async refusedUpload(code: ErrorCode, kind: UploadKind | string, bytes: Uint8Array<ArrayBuffer>, sent?: Sent): Promise<Problem> {
    return asProblem(code, await this.post(kind, bytes, sent));
  }
}

export function asProblem(code: ErrorCode, answer: Raw): Problem {
  const found = JSON.parse(answer.text) as Problem;
  expect({ status: answer.status, code: found.code, title: found.title }, found.detail).toEqual({ status: errors[code].status, code, title: errors[code].title });
  return found;
}

export function heldToContract(name: RouteName, answer: Raw): Raw {
  const route: Route = routes[name];
  const good = answer.status < 400;
  if (good && route.files) {
    expect(route.files).toContain(answer.headers.get("content-type"));
    return answer;
  }
  expect(answer.headers.get("content-type")).toBe(good ? "application/json" : "application/problem+json");
  const body: unknown = JSON.parse(answer.text);
  expect((good ? route.answer : problem).parse(body), `${name}: the answer and its schema`).toStrictEqual(body);
  if (good) expect(answer.status).toBe(route.status ?? 200);
  else expect(body).toMatchObject({ status: answer.status, requestId: answer.headers.get("x-request-id") });
  return answer;
}
