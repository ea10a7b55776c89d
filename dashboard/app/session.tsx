// Who is signed in to which tenant, with what scopes and flags. Pages read it; only the shell fetches it.
import { queryOptions } from "@tanstack/react-query";
import { createContext, use } from "react";
import type { Me } from "#schema/api/tenant.ts";
import { fetchApi } from "./fetch-api.ts";

export function meQuery(tenant: string) {
  return queryOptions({ queryKey: ["me", tenant], queryFn: ({ signal }) => fetchApi<Me>(tenant, "/me", { signal }), staleTime: 30_000 });
}

const SessionContext = createContext<{ readonly tenant: string; readonly me: Me } | null>(null);
export const SessionProvider = SessionContext;

export function useSession(): { readonly tenant: string; readonly me: Me } {
  const session = use(SessionContext);
  if (session === null) throw new Error("useSession outside the shell");
  return session;
}
