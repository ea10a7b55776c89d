// What every route passes before its handler: caller → scope → cross-site check → flag → rate.
import type { Route } from "#schema/api/routes.ts";
import { scopes } from "#schema/identity.ts";
import { type Caller, callerOf } from "./auth/caller.ts";
import { flagOn } from "./control/flags.ts";
import type { Env } from "./env.ts";
import { ApiError } from "./problem.ts";
import { flags } from "#schema/flags.ts";

export async function gate(request: Request, env: Env, slug: string, route: Route, nowMs: number, later: (work: Promise<unknown>) => void): Promise<Caller> {
  const caller = await callerOf(request, env, slug, nowMs, later);
  if (route.scope !== null && !caller.scopes.has(route.scope)) {
    if (caller.kind === "session") throw new ApiError("role_missing", { detail: `Your role (${caller.role}) does not include "${route.scope}" (${scopes[route.scope]}). Ask an owner of the tenant.` });
    throw new ApiError("scope_missing", { detail: `This needs the scope "${route.scope}" (${scopes[route.scope]}); the token has ${[...caller.scopes].join(", ") || "none"}. Create one with \`lamella token create --scope ${route.scope}\`.` });
  }
  if (caller.kind === "session" && route.method !== "GET") checkSameSite(request);
  if (route.flag !== undefined && !(await flagOn(env.CONTROL, caller.tenant.id, route.flag, nowMs))) {
    throw new ApiError("flag_off", { detail: `"${flags[route.flag].title}" is switched off for this tenant. Turn it on under Settings → Feature Flags, or with \`lamella flag set ${route.flag} on\`.` });
  }
  await checkRate(env, caller, route);
  return caller;
}

// A cookie rides along from any site: changes need a header that another site cannot send without our consent, and our own origin where the browser names one.
function checkSameSite(request: Request): void {
  const origin = request.headers.get("origin");
  if (request.headers.get("x-lamella-csrf") !== "1" || (origin !== null && origin !== new URL(request.url).origin)) {
    throw new ApiError("origin_forbidden", { detail: "Changes with a browser session need the header X-Lamella-Csrf: 1 and the page's own origin. Scripts should use a token." });
  }
}

async function checkRate(env: Env, caller: Caller, route: Route): Promise<void> {
  const checks =
    route.body === "upload"
      ? [env.INGEST_LIMIT_TOKEN?.limit({ key: caller.id }), env.INGEST_LIMIT_TENANT?.limit({ key: caller.tenant.id })]
      : [env.QUERY_LIMIT?.limit({ key: `${caller.tenant.id}:${caller.id}` })];
  for (const outcome of await Promise.all(checks)) {
    if (outcome?.success === false) throw new ApiError("rate_limited", { detail: "Slow down and retry after the time in Retry-After; agents keep what they could not send.", retryAfterS: 10 });
  }
}
