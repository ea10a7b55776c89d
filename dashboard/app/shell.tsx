// The frame around every page of a tenant: asks who is there, then shows the sidebar and the page; otherwise says how to get in.
import { useQuery } from "@tanstack/react-query";
import { CatchBoundary, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { Failure, Loading } from "../parts/states.tsx";
import { toApiError } from "../parts/api-error.ts";
import { DropZone } from "./drop-zone.tsx";
import { KeyboardSheet } from "./keyboard-sheet.tsx";
import { CommandPalette } from "./palette/command-palette.tsx";
import { NoTenantPage } from "./no-tenant-page.tsx";
import { PageFailure } from "./page-failure.tsx";
import { meQuery, SessionProvider } from "./session.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";
import style from "./shell.module.css";

export function Shell() {
  const { tenant } = useParams({ from: "/t/$tenant" });
  const me = useQuery(meQuery(tenant));
  const pathname = useLocation({ select: (location) => location.pathname });
  const session = useMemo(() => (me.data === undefined ? null : { tenant, me: me.data }), [tenant, me.data]);

  if (me.isError) {
    const error = toApiError(me.error);
    if (error.status === 401) return <SignedOutPage />;
    if (error.status === 404) return <NoTenantPage tenant={tenant} />;
    // Once known, a server that is away for a moment takes no page with it, nor a dialog that shows a token once.
    if (session === null)
      return (
        <main>
          <Failure error={error} retry={() => void me.refetch()} />
        </main>
      );
  }
  if (session === null)
    return (
      <div className={style.shell}>
        <aside className={style.side} />
        <main className={style.main}>
          <Loading what="your session" />
        </main>
      </div>
    );
  return (
    <SessionProvider value={session}>
      <div className={style.shell}>
        <a href="#page" className={style.skip}>
          Skip to the page
        </a>
        <Sidebar />
        <main id="page" className={style.main} tabIndex={-1}>
          {/* Another tenant is another page: nothing that was asked, chosen or to be undone in one is carried over. */}
          <CatchBoundary key={tenant} getResetKey={() => pathname} errorComponent={PageFailure}>
            <Outlet />
          </CatchBoundary>
        </main>
        <KeyboardSheet />
        <CommandPalette />
        <DropZone />
      </div>
    </SessionProvider>
  );
}
