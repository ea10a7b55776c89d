// Feature flags of the tenant. A switch acts at once and can be undone; the server's answer is the truth.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { printable } from "#core/printable.ts";
import type { Flag } from "#schema/flags.ts";
import type { FlagsList } from "#schema/api/tenant.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useToast } from "../../app/toasts.tsx";
import { toApiError } from "../../parts/api-error.ts";
import { Moment } from "../../parts/moment.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import style from "./settings.module.css";

type Change = { readonly flag: Flag; readonly on: boolean; readonly undo?: boolean };

export function FlagsPage() {
  const { tenant, me } = useSession();
  const client = useQueryClient();
  const toast = useToast();
  const key = ["flags", tenant];
  const flags = useQuery({ queryKey: key, queryFn: ({ signal }) => fetchApi<FlagsList>(tenant, "/flags", { signal }) });
  const change = useMutation({
    mutationFn: ({ flag, on }: Change) => fetchApi<FlagsList>(tenant, `/flags/${flag}`, { method: "PUT", body: { on } }),
    onMutate: async ({ flag, on }) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<FlagsList>(key);
      client.setQueryData<FlagsList>(key, (list) => list && { flags: list.flags.map((one) => (one.flag === flag ? { ...one, on } : one)) });
      return { before };
    },
    onSuccess: (fresh, { flag, on, undo }) => {
      client.setQueryData(key, fresh);
      void client.invalidateQueries({ queryKey: ["me", tenant] });
      const title = fresh.flags.find((one) => one.flag === flag)?.title ?? flag;
      toast({
        text: `${title} is ${on ? "on" : "off"} for everyone in this tenant`,
        ...(undo ? {} : { action: { label: "Undo", run: () => change.mutate({ flag, on: !on, undo: true }) } }),
      });
    },
    onError: (error, { flag }, context) => {
      client.setQueryData(key, context?.before);
      const problem = toApiError(error);
      toast({ text: `${flag} was not changed. ${problem.title}: ${problem.detail}`, tone: "danger" });
    },
  });
  const admin = me.scopes.includes("admin");
  return (
    <>
      <PageHeader title="Feature flags" />
      <div className={style.page}>
        <p className={style.lead}>A flag shows or hides pages for everyone in this tenant. It never changes what is captured or stored.</p>
        {flags.isPending && <Loading what="the flags" rows={2} />}
        {flags.isError && <Failure error={flags.error} retry={() => void flags.refetch()} />}
        <ul className={style.list}>
          {flags.data?.flags.map((flag) => (
            <li key={flag.flag} className={style.item} data-testid="flag-row" data-flag={flag.flag}>
              <div>
                <h2 id={`flag-${flag.flag}`}>{flag.title}</h2>
                <p>Gates {flag.gates}.</p>
                <p className={style.fine}>
                  {flag.reason === "error" ? (
                    "The flag could not be read, so its default applies."
                  ) : flag.changedAt === null ? (
                    "Never changed: this is the default."
                  ) : (
                    <>
                      Changed <Moment iso={flag.changedAt} />
                      {flag.changedBy !== null && ` by ${printable(flag.changedBy)}`}.
                    </>
                  )}
                </p>
              </div>
              <button
                type="button"
                role="switch"
                aria-checked={flag.on}
                aria-labelledby={`flag-${flag.flag}`}
                className={style.switch}
                disabled={!admin}
                title={admin ? undefined : "Needs the admin scope: ask an owner of the tenant"}
                onClick={() => change.mutate({ flag: flag.flag, on: !flag.on })}
                data-testid={`flag-${flag.flag}`}
              >
                <span />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
