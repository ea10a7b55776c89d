// Signing in and out with the browser. The one-time link exists on the embedded stack only; everywhere else people come through OIDC.
import { errors } from "#schema/errors.ts";
import { createSession, revokeSession } from "../control/sessions.ts";
import { recordAudit } from "../control/audit.ts";
import { redeemSignInLink, tenantBySlug } from "../control/tenants.ts";
import type { Env } from "../env.ts";
import { ApiError } from "../problem.ts";
import { htmlPage } from "../html-page.ts";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";

export async function signInWithLink(request: Request, env: Env, requestId: string, nowMs: number): Promise<Response> {
  const code = new URL(request.url).searchParams.get("code") ?? "";
  const redeemed = /^[a-z2-7]{32}$/.test(code) ? await redeemSignInLink(env.CONTROL, code, nowMs) : null;
  if (redeemed === null) {
    if (request.headers.get("accept")?.includes("text/html")) return linkIsSpent();
    throw new ApiError("session_invalid", { detail: "This sign-in link was used already, is too old, or was cut. Press Enter in the terminal where `npm start` runs for a fresh one." });
  }
  const session = await createSession(env.CONTROL, redeemed.userId, nowMs);
  const tenant = await tenantBySlug(env.CONTROL, redeemed.tenantSlug);
  if (tenant) await recordAudit(env.CONTROL, { tenantId: tenant.id, actor: redeemed.userId, action: "sign_in", target: "local link", outcome: "ok", requestId }, nowMs);
  return new Response(null, { status: 303, headers: { location: `/t/${redeemed.tenantSlug}/flamegraph`, "set-cookie": sessionCookie(request, session), "referrer-policy": "no-referrer" } });
}

export async function signOut(request: Request, env: Env, nowMs: number): Promise<Response> {
  const session = readSessionCookie(request);
  if (session !== null) await revokeSession(env.CONTROL, session, nowMs);
  return new Response(null, { status: 204, headers: { "set-cookie": sessionCookie(request, null) } });
}

// The same answer for a person who opened an old link in the browser.
function linkIsSpent(): Response {
  const page = htmlPage("This sign-in link does not work", `
<p>It was used already, is too old, or was cut. A link signs in once.</p>
<p>Press Enter in the terminal where <code>npm start</code> runs for a fresh one. Are you signed in already? Then <a href="/">go on to the pages</a>.</p>`);
  return new Response(page, { status: errors.session_invalid.status, headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" } });
}
