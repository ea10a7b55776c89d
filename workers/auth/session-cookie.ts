// The session cookie. Over https it carries the __Host- prefix (bound to this host, always Secure); over plain http, which only the embedded stack on
// loopback speaks, browsers refuse Secure cookies, so the name goes without.
import { limits } from "#schema/limits.ts";

const nameFor = (secure: boolean) => (secure ? "__Host-lamella_session" : "lamella_session");
const isSecure = (request: Request) => new URL(request.url).protocol === "https:";

export function readSessionCookie(request: Request): string | null {
  const name = nameFor(isSecure(request));
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=");
    if (key === name && value !== undefined && /^[a-z2-7]{52}$/.test(value)) return value;
  }
  return null;
}

// `session` null clears the cookie.
export function sessionCookie(request: Request, session: string | null): string {
  const secure = isSecure(request);
  const age = session === null ? 0 : limits.sessionMinutes * 60;
  return `${nameFor(secure)}=${session ?? ""}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
}
