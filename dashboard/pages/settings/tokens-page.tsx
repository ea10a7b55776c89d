// API tokens of the tenant: what they may do, until when, when they were last used; made and revoked here.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { printable } from "#core/printable.ts";
import type { Token } from "#schema/api/tenant.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useToast } from "../../app/toasts.tsx";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment, useNow } from "../../parts/moment.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { tokenState } from "./token-state.ts";
import style from "./settings.module.css";

export function TokensPage() {
  const { tenant } = useSession();
  const client = useQueryClient();
  const toast = useToast();
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const key = ["tokens", tenant];
  const list = useQuery({ queryKey: key, queryFn: ({ signal }) => fetchApi<{ tokens: Token[] }>(tenant, "/tokens", { signal }) });
  const revoke = useMutation({
    mutationFn: (token: Token) => fetchApi<Token>(tenant, `/tokens/${token.id}`, { method: "DELETE" }),
    onSuccess: (_, token) => toast({ text: `${printable(token.name)} is revoked; it stops working everywhere within 10 s` }),
    onError: (error) => toast({ text: `Not revoked. ${toApiError(error).title}: ${toApiError(error).detail}`, tone: "danger" }),
    onSettled: () => void client.invalidateQueries({ queryKey: key }),
  });
  return (
    <>
      <PageHeader title="Tokens" />
      <div className={style.page}>
        <div className={style.head}>
          <p className={style.lead}>Agents, CI and scripts sign in with a token. Its secret is shown once, when it is made; only a hash is stored.</p>
          <button type="button" className={`${control.button} ${control.primary}`} onClick={() => setMaking(true)} data-testid="new-token">
            <KeyRound size={14} />
            New token
          </button>
        </div>
        {list.isPending && <Loading what="the tokens" rows={4} />}
        {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
        {list.isSuccess && list.data.tokens.length === 0 && (
          <Empty title="No tokens yet">
            <p>Make one to send uploads or to read the API from outside the browser.</p>
          </Empty>
        )}
        {list.isSuccess && list.data.tokens.length > 0 && (
          <div className={style.scroll} tabIndex={0} role="region" aria-label="Tokens table">
            <table className={style.table} data-testid="tokens-table">
              <thead>
                <tr>
                  {["Name", "Scopes", "Made", "Last used", "Expires", "State"].map((label) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                  <th scope="col">
                    <span className="visually-hidden">Action</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.data.tokens.map((token) => (
                  <Row key={token.id} token={token} revoke={() => setRevoking(token)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      {making && (
        <NewTokenDialog
          close={() => {
            setMaking(false);
            void client.invalidateQueries({ queryKey: key });
          }}
        />
      )}
      {revoking !== null && (
        <Dialog title={`Revoke ${printable(revoking.name)}?`} close={() => setRevoking(null)} testId="revoke-token">
          <p>Whatever uses this token stops working within 10 s. A revoked token cannot be brought back.</p>
          <div className={style.actions}>
            <button type="button" className={control.button} onClick={() => setRevoking(null)}>
              Keep it
            </button>
            <button
              type="button"
              className={`${control.button} ${control.danger}`}
              onClick={() => {
                revoke.mutate(revoking);
                setRevoking(null);
              }}
              data-testid="revoke-confirm"
            >
              Revoke
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const kinds = { agt: "agent", api: "API", ci: "CI" } as const;

function Row({ token, revoke }: { readonly token: Token; readonly revoke: () => void }) {
  const state = tokenState(token, useNow());
  return (
    <tr data-testid="token-row" data-token={token.id} data-state={state}>
      <th scope="row">
        {printable(token.name)}
        <span>
          {kinds[token.kind]} · {token.id}
          {token.jobTag !== null && ` · ${printable(token.jobTag)}`}
        </span>
      </th>
      <td>
        <span className={style.chips}>
          {token.scopes.map((scope) => (
            <code key={scope}>{scope}</code>
          ))}
        </span>
      </td>
      <td>
        <Moment iso={token.createdAt} />
      </td>
      <td>{token.lastUsedAt === null ? "never" : <Moment iso={token.lastUsedAt} />}</td>
      <td>
        <Moment iso={token.expiresAt} />
      </td>
      <td>{state}</td>
      <td>
        {state === "valid" && (
          <button
            type="button"
            className={`${control.button} ${control.quiet} ${control.danger}`}
            aria-label={`Revoke ${printable(token.name)}`}
            onClick={revoke}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
