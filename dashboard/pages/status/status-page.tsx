// What arrived, how far the data reaches, and when each host was last heard.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { printable } from "#core/printable.ts";
import type { Status } from "#schema/api/tenant.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { Moment } from "../../parts/moment.tsx";
import { formatCount } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import style from "./status-page.module.css";

const everyMs = 15_000;

export function StatusPage() {
  const { tenant } = useSession();
  const status = useQuery({
    queryKey: ["status", tenant],
    queryFn: ({ signal }) => fetchApi<Status>(tenant, "/status", { signal }),
    refetchInterval: everyMs,
  });
  return (
    <>
      <PageHeader
        title="Status"
        ingestedThrough={status.data?.ingestedThrough}
        refresh={() => void status.refetch()}
        refreshing={status.isFetching}
      />
      {status.isPending && <Loading what="the status" />}
      {status.isError && <Failure error={status.error} retry={() => void status.refetch()} />}
      {status.isSuccess && <Figures status={status.data} tenant={tenant} />}
    </>
  );
}

function Figures({ status, tenant }: { readonly status: Status; readonly tenant: string }) {
  const { uploads } = status;
  return (
    <div className={style.page}>
      <dl className={style.cards} data-testid="status-figures">
        <Card label="Samples" value={status.samples}>
          stored
        </Card>
        <Card label="Uploads" value={uploads.stored}>
          {uploads.lastStoredAt === null ? "none yet" : <Ago what="last" iso={uploads.lastStoredAt} />}
        </Card>
        <Card label="Quarantined" value={uploads.quarantined} bad={uploads.quarantined > 0}>
          {uploads.quarantined === 0 ? "every upload could be stored" : <code>lamella quarantine list</code>}
          {uploads.quarantined > 0 && " says why"}
        </Card>
        <Card label="Executions" value={status.executions}>
          <Link
            to="/t/$tenant/flamegraph"
            params={{ tenant }}
            search={((old: Record<string, unknown>) => ({ ...keepRange(old), execution: "latest" })) as never}
          >
            open the latest
          </Link>
        </Card>
        <Card label="Models" value={status.models}>
          seen in processes
        </Card>
      </dl>
      <section className={style.hosts}>
        <h2>Last sample by host</h2>
        <p className={style.note}>An imported trace counts at the time of its import, for the host that imported it.</p>
        {status.lastSampleByHost.length === 0 ? (
          <p className={style.note}>No host has sent samples yet.</p>
        ) : (
          <table className={style.table}>
            <thead>
              <tr>
                <th scope="col">Host</th>
                <th scope="col">Last sample</th>
              </tr>
            </thead>
            <tbody>
              {status.lastSampleByHost.map(({ host, at }) => (
                <tr key={host} data-testid="host-row">
                  <th scope="row">{printable(host)}</th>
                  <td>
                    <Moment iso={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <p className={style.note}>
        Lamella {status.version}
        {status.embedded && " · embedded stack on this machine"} · API description at <a href="/docs">/docs</a>
      </p>
    </div>
  );
}

function Card({
  label,
  value,
  bad = false,
  children,
}: {
  readonly label: string;
  readonly value: number;
  readonly bad?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div data-bad={bad}>
      <dt>{label}</dt>
      <dd className={style.value}>
        <Quantity value={formatCount(value)} />
      </dd>
      <dd className={style.note}>{children}</dd>
    </div>
  );
}

function Ago({ what, iso }: { readonly what: string; readonly iso: string }) {
  return (
    <>
      {what} <Moment iso={iso} />
    </>
  );
}
