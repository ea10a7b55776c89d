// Shown at addresses outside a tenant, and for a tenant that is not there or not yours: the two look the same on purpose.
import style from "./standing-page.module.css";

export function NoTenantPage({ tenant }: { readonly tenant?: string }) {
  return (
    <main className={style.page} data-testid="no-tenant">
      <div className={style.card}>
        <p className={style.brand}>
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Lamella
        </p>
        <h1>{tenant === undefined ? "This address names no tenant" : `There is no tenant “${tenant}” for you`}</h1>
        <p>
          Pages live below <code>/t/&lt;tenant&gt;/</code>, for example <a href="/t/demo/flamegraph">/t/demo/flamegraph</a> on the stack that{" "}
          <code>npm start</code> runs.
        </p>
        {tenant !== undefined && (
          <p className={style.muted}>
            Either it does not exist or your session belongs to another tenant. Check the spelling, or sign in with a link of that tenant.
          </p>
        )}
      </div>
    </main>
  );
}
