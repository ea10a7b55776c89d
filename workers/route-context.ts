// What a handler gets: everything parsed, checked and gated. A handler is only: ask, shape the answer.
import type { z } from "zod";
import type { Query, QueryOptions, Store } from "#clickhouse/client.ts";
import type { Route, RouteName, routes } from "#schema/api/routes.ts";
import type { Caller } from "./auth/caller.ts";
import type { Env } from "./env.ts";

type Parsed<T> = T extends z.ZodType ? z.output<T> : Record<string, never>;
type Part<R, K extends string> = R extends { readonly [key in K]: infer T } ? Parsed<T> : Record<string, never>;

export type RouteContext<R = Route> = {
  readonly env: Env;
  readonly store: Store;
  readonly caller: Caller;
  readonly request: Request;
  readonly requestId: string;
  readonly nowMs: number;
  readonly params: Part<R, "params">;
  readonly query: Part<R, "query">;
  readonly body: Part<R, "body">;
  readonly later: (work: Promise<unknown>) => void;
};

// A context of any route: what helpers that serve several routes may know.
export type AnyContext = Omit<RouteContext<unknown>, "params" | "query" | "body">;

export type Handler<N extends RouteName> = (context: RouteContext<(typeof routes)[N]>) => Promise<z.input<(typeof routes)[N]["answer"]> | Response>;

// Rows of one statement, as the caller's tenant. Ends with the request: a client that goes away ends its query.
export async function rowsOf<Row extends z.ZodType>(context: AnyContext, query: Query & { row: Row }, label: string): Promise<z.infer<Row>[]> {
  const options: QueryOptions = { label, queryId: `${context.requestId}-${label}-${crypto.randomUUID().slice(0, 8)}`, signal: context.request.signal };
  return await context.store.select(context.caller.scope, query, query.row, options);
}
