// The OpenAPI document, generated from the route table and its zod schemas: it cannot disagree with what the Worker registers.
import { z } from "zod";
import { problem } from "#schema/api/problem.ts";
import { type Route, routes } from "#schema/api/routes.ts";
import { errors } from "#schema/errors.ts";
import { escapeHtml, htmlPage } from "./html-page.ts";

type Json = Record<string, unknown>;

export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = `/t/{tenant}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Lamella", version, description: "GPU time by model layer. Every answer is JSON; every error is application/problem+json with a code of the list at /docs/errors." },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "lml_… token of the tenant" },
        session: { type: "apiKey", in: "cookie", name: "lamella_session", description: "browser session; changes also need the header X-Lamella-Csrf: 1" },
      },
      schemas: { Problem: schemaOf(problem, "output") },
    },
  };
}

function operation(name: string, route: Route): Json {
  const parameters: Json[] = [{ name: "tenant", in: "path", required: true, schema: { type: "string" } }];
  if (route.params) parameters.push(...parametersOf(route.params, "path"));
  if (route.query) parameters.push(...parametersOf(route.query, "query"));
  const body =
    route.body === undefined ? undefined
    : route.body === "upload" ? { required: true, content: { "application/x-protobuf": { schema: { type: "string", format: "binary" } } } }
    : { required: true, content: { "application/json": { schema: schemaOf(route.body, "input") } } };
  return {
    operationId: name,
    summary: route.summary,
    description: [route.scope === null ? "Any valid token or session." : `Scope: ${route.scope}.`, route.flag ? `Behind the feature flag "${route.flag}".` : ""].filter(Boolean).join(" "),
    security: [{ token: [] }, { session: [] }],
    parameters,
    ...(body ? { requestBody: body } : {}),
    responses: {
      [route.status ?? 200]: { description: "OK", content: contentOf(route) },
      default: { description: "A problem", content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
    },
  };
}

function contentOf({ answer, text, csv, files }: Route): Json {
  const file = { schema: { type: "string", format: "binary" } };
  if (files) return Object.fromEntries(files.map((type) => [type, file]));
  const string = { schema: { type: "string" } };
  return { "application/json": { schema: schemaOf(answer, "output") }, ...(text ? { "text/plain": string } : {}), ...(csv ? { "text/csv": string } : {}) };
}

function parametersOf(schema: z.ZodObject, where: "path" | "query"): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input") as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({ name, in: where, required: where === "path" || required.includes(name), schema: property, ...(property.description ? { description: property.description } : {}) }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return rest;
}

// The same, for people: plain HTML, no script, nothing fetched from elsewhere.
export function docsPage(): string {
  const rows = Object.entries<Route>(routes).map(
    ([name, route]) =>
      `<tr id="${name}"><td><code>${route.method}</code></td><td><code>/t/{tenant}${escapeHtml(route.path)}</code></td><td>${escapeHtml(route.summary)}</td><td>${route.scope ?? "any"}</td><td>${parameterList(route)}</td></tr>`,
  );
  return htmlPage("Lamella HTTP API", `
<p>Send a token as <code>Authorization: Bearer lml_…</code>. The machine-readable document is <a href="/openapi.json">/openapi.json</a>; errors are explained under <a href="/docs/errors">/docs/errors</a>.</p>
<pre>curl -H "Authorization: Bearer $LAMELLA_TOKEN" "$LAMELLA_URL/t/demo/api/flamegraph?from=-1h&amp;max_nodes=100"</pre>
<table><thead><tr><th>Method</th><th>Path</th><th>What</th><th>Scope</th><th>Parameters</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`);
}

export function errorsPage(): string {
  const rows = Object.entries(errors).map(([code, { status, title }]) => `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`);
  return htmlPage("Lamella errors", `
<p>An error is <code>application/problem+json</code>: <code>code</code> is one of these, <code>detail</code> says what, where and how to fix it, <code>problems</code> has positions where the input is a text.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`);
}

function parameterList(route: Route): string {
  if (route.body === "upload") return "one protobuf message, gzip allowed";
  return route.query ? parametersOf(route.query, "query").map((one) => `<code>${one.name}</code>`).join(", ") : "";
}
