// The route table on one screen, and what wraps every handler: request id, gate, parsing, one shape of error, security headers.
import { type Context, Hono } from "hono";
import { openStore } from "#clickhouse/client.ts";
import { type Route, type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import type { z } from "zod";
import { signInWithLink, signOut } from "./auth/sign-in.ts";
import { controlAnswers } from "./control/tenants.ts";
import { type Env, storeConfig } from "./env.ts";
import { gate } from "./gate.ts";
import { accept } from "./ingest/accept.ts";
import { readBody } from "./ingest/body.ts";
import { docsPage, errorsPage, openApiDocument } from "./openapi.ts";
import { parameters } from "./parameters.ts";
import { ApiError, notFound, problemResponse } from "./problem.ts";
import { flamegraphCompare } from "./query/compare.ts";
import { executionCompare, executionRecord, moduleHistory } from "./query/execution-records.ts";
import { execution, executions } from "./query/executions.ts";
import { fieldValues, filterComplete } from "./query/field-values.ts";
import { flamegraph } from "./query/flamegraph.ts";
import { flamegraphExport } from "./query/flamegraph-export.ts";
import { flamegraphSearch, flamegraphTimeline, flamegraphTop, frameModules, moduleFrames } from "./query/flamegraph-tables.ts";
import { metrics, metricSeries } from "./query/metrics.ts";
import { model, models } from "./query/models.ts";
import { shape, shapeCompare, shapeFind, shapeMemory, shapeModule } from "./query/shapes.ts";
import { status } from "./query/status.ts";
import { workloadRequests } from "./query/workload-requests.ts";
import { workload, workloads } from "./query/workloads.ts";
import type { Handler, RouteContext } from "./route-context.ts";
import * as settings from "./settings/tenant.ts";

type Bindings = { Bindings: Env; Variables: { requestId: string } };

const ingest: Handler<"ingest"> = ({ request, env, caller, params, nowMs }) => accept(request, env, caller, params.kind, nowMs);

const handlers: { readonly [N in RouteName]: Handler<N> } = {
  ingest,
  me: settings.me, flags: settings.flags, flagSet: settings.flagSet, tokens: settings.tokens, tokenCreate: settings.tokenCreate, tokenRevoke: settings.tokenRevoke,
  members: settings.members, audit: settings.audits, quarantine: settings.quarantine, quarantineReplay: settings.quarantineReplay,
  status, fieldValues, filterComplete, flamegraph, flamegraphExport, flamegraphCompare, flamegraphTop, flamegraphSearch, flamegraphTimeline, frameModules, moduleFrames, executions, execution, executionRecord, executionCompare, moduleHistory, models, model, shape, shapeCompare, shapeModule, shapeFind, shapeMemory, metrics, metricSeries, workloads, workload, workloadRequests,
};

export function createApp(now: () => number): Hono<Bindings> {
  const app = new Hono<Bindings>({ strict: true });
  app.use(async (c, next) => {
    c.set("requestId", crypto.randomUUID());
    await next();
    c.res = withHeaders(c.res, c.get("requestId"));
  });
  app.onError((error, c) => problemResponse(error, c.get("requestId") ?? ""));
  for (const name of routeNames) {
    const route: Route = routes[name];
    app.on(route.method, `/t/:tenant${route.path.replace(/\{(\w+)\}/g, ":$1")}`, (c) => answer(c, name, route, now()));
  }
  for (const prefix of ["/t/:tenant/api/*", "/t/:tenant/ingest/*"]) app.all(prefix, (c) => refuse(c.req.method, new URL(c.req.url).pathname));

  app.get("/sign-in/local", (c) => (c.env.EMBEDDED === "1" ? signInWithLink(c.req.raw, c.env, c.get("requestId"), now()) : Promise.reject(notFound())));
  app.post("/sign-out", (c) => signOut(c.req.raw, c.env, now()));
  app.get("/openapi.json", (c) => c.json(openApiDocument(c.env.VERSION)));
  app.get("/docs", (c) => c.html(docsPage()));
  app.get("/docs/errors", (c) => c.html(errorsPage()));
  app.get("/healthz", (c) => c.json({ ok: true, version: c.env.VERSION }));
  app.get("/readyz", async (c) => {
    const [store, control] = await Promise.all([
      openStore(storeConfig(c.env)).ping().catch(() => false),
      controlAnswers(c.env.CONTROL),
    ]);
    return c.json({ ok: store && control, store, control }, store && control ? 200 : 503);
  });
  app.get("/metrics", async (c) => c.text(`# HELP lamella_info Version of the service.\n# TYPE lamella_info gauge\nlamella_info{version="${c.env.VERSION}"} 1\n`, 200, { "content-type": "text/plain; version=0.0.4" }));
  app.all("*", (c) => (ownPath.test(new URL(c.req.url).pathname) ? refuse(c.req.method, new URL(c.req.url).pathname) : c.env.ASSETS.fetch(c.req.raw)));
  return app;
}

async function answer(c: Context<Bindings>, name: RouteName, route: Route, nowMs: number): Promise<Response> {
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work.catch((error: unknown) => console.error(JSON.stringify({ level: "error", what: "later", internal: String(error) }))));
  const caller = await gate(c.req.raw, c.env, c.req.param("tenant") ?? "", route, nowMs, later);
  const context = {
    env: c.env, store: openStore(storeConfig(c.env)), caller, request: c.req.raw, requestId: c.get("requestId"), nowMs, later,
    params: pathOf(route.params, c.req.param()),
    query: parameters(route.query, valuesOf(new URL(c.req.url).searchParams, Object.keys(route.query?.shape ?? {})), "query"),
    body: route.body === undefined || route.body === "upload" ? {} : parameters(route.body, await jsonBody(c.req.raw), "body"),
  };
  const handler = handlers[name] as (context: RouteContext<never>) => Promise<unknown>;
  const result = await handler(context as unknown as RouteContext<never>);
  if (result instanceof Response) return result;
  return Response.json(result, { status: route.status ?? 200, headers: { "cache-control": "no-store" } });
}

// An id of the wrong shape names nothing: the same 404 as an unknown one.
function pathOf(schema: z.ZodType | undefined, values: unknown): unknown {
  const outcome = schema?.safeParse(values);
  if (outcome?.success === false) throw notFound();
  return outcome?.data ?? {};
}

// A misspelt parameter would else be a default in silence.
function valuesOf(search: URLSearchParams, known: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of search) {
    if (!known.includes(name)) throw new ApiError("parameter_invalid", { detail: `\`${name.slice(0, 60)}\` is no parameter here. ${known.length === 0 ? "This route takes none." : `Parameters: ${known.join(", ")}.`}` });
    if (Object.hasOwn(values, name)) throw new ApiError("parameter_invalid", { detail: `\`${name}\` is given twice; give it once.` });
    values[name] = value;
  }
  return values;
}

const jsonBytesMax = 64 * 1024;

async function jsonBody(request: Request): Promise<unknown> {
  const bytes = await readBody(request, jsonBytesMax, "Nothing this route takes is longer.");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new ApiError("body_undecodable", { detail: `The body is not JSON: ${error instanceof Error ? error.message : String(error)}.` });
  }
}

// Paths that are the Worker's own, also where none of its routes is: everything else is a page or a file of the dashboard.
const ownPath = /^\/(t\/.+\/(api|ingest)|sign-in\/.+|sign-out|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/;

// No path of ours ever answers with a page: a path of the table with another method is 405, anything else 404.
function refuse(method: string, pathname: string): never {
  const below = pathname.replace(/^\/t\/[^/]*/, "");
  const allowed = routeNames.map((name): Route => routes[name]).filter((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(below));
  if (allowed.length === 0) throw notFound();
  throw new ApiError("method_not_allowed", { detail: `${method} is not taken here; ${allowed.map((route) => route.method).join(", ")} ${allowed.length > 1 ? "are" : "is"}.` });
}

function withHeaders(response: Response, requestId: string): Response {
  const copy = new Response(response.body, response);
  copy.headers.set("x-request-id", requestId);
  copy.headers.set("x-content-type-options", "nosniff");
  copy.headers.set("referrer-policy", "same-origin");
  copy.headers.set("x-frame-options", "DENY");
  if (!copy.headers.has("content-security-policy")) {
    copy.headers.set("content-security-policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
  }
  return copy;
}
