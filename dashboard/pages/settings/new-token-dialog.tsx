// Makes a token, then shows its secret: the only time it can be seen.
import { useMutation } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { printable } from "#core/printable.ts";
import type { TokenCreate, TokenCreated } from "#schema/api/tenant.ts";
import { scopeNames, scopes, type Scope, type TokenKind } from "#schema/identity.ts";
import { limits } from "#schema/limits.ts";
import { toApiError } from "../../parts/api-error.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { useSession } from "../../app/session.tsx";
import { CodeLines } from "../../parts/code-lines.tsx";
import control from "../../parts/control.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import style from "./settings.module.css";

const kindWords: Readonly<Record<TokenKind, string>> = {
  api: "API: scripts and tools",
  agt: "Agent: a profiler on a node",
  ci: "CI: may be bound to one branch tag",
};
const firstScopes: Readonly<Record<TokenKind, readonly Scope[]>> = { api: ["read"], agt: ["ingest"], ci: ["ingest", "read"] };

export function NewTokenDialog({ close }: { readonly close: () => void }) {
  const { tenant } = useSession();
  const [form, setForm] = useState({
    name: "",
    kind: "api" as TokenKind,
    scopes: new Set<Scope>(firstScopes.api),
    days: String(limits.tokenDaysDefault),
    jobTag: "",
  });
  const [copied, setCopied] = useState(false);
  const make = useMutation({ mutationFn: (body: TokenCreate) => fetchApi<TokenCreated>(tenant, "/tokens", { method: "POST", body }) });
  if (make.isSuccess) {
    const { secret, token } = make.data;
    return (
      <Dialog title={`${printable(token.name)} is made`} close={close} testId="token-secret-dialog">
        <p>Copy the token now. It is shown this once; nobody can read it later.</p>
        <div className={style.secret}>
          <code data-testid="token-secret">{secret}</code>
          <button type="button" className={control.button} onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}>
            <Copy size={14} />
            {copied ? "Copied" : "Copy"}
          </button>
        </div>
        <p>Who it is and what it may do:</p>
        <CodeLines label="Try the token" lines={`curl -H "authorization: Bearer $LAMELLA_TOKEN" ${location.origin}/t/${tenant}/api/me`} testId="token-curl" />
        <div className={style.actions}>
          <button type="button" className={`${control.button} ${control.primary}`} onClick={close}>
            I have stored it
          </button>
        </div>
      </Dialog>
    );
  }
  const submit = () =>
    make.mutate({
      name: form.name.trim(),
      kind: form.kind,
      scopes: [...form.scopes],
      days: Number(form.days),
      ...(form.kind === "ci" && form.jobTag !== "" ? { jobTag: form.jobTag } : {}),
    });
  const pick = (scope: Scope, on: boolean) => {
    const next = new Set(form.scopes);
    if (on) next.add(scope);
    else next.delete(scope);
    setForm({ ...form, scopes: next });
  };
  return (
    <Dialog title="New token" close={close} testId="new-token-dialog">
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label className={control.field}>
          <span>Name</span>
          <input
            className={control.input}
            required
            maxLength={100}
            autoFocus
            placeholder="nightly import"
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.target.value })}
            data-testid="token-name"
          />
        </label>
        <div className={style.grid}>
          <label className={control.field}>
            <span>Kind</span>
            <select
              className={control.select}
              value={form.kind}
              onChange={(event) => {
                const kind = event.target.value as TokenKind;
                setForm({ ...form, kind, scopes: new Set(firstScopes[kind]) });
              }}
            >
              {Object.entries(kindWords).map(([kind, words]) => (
                <option key={kind} value={kind}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className={control.field}>
            <span>Valid for days (at most {limits.tokenDaysMax})</span>
            <input
              className={control.input}
              type="number"
              required
              min={1}
              max={limits.tokenDaysMax}
              value={form.days}
              onChange={(event) => setForm({ ...form, days: event.target.value })}
            />
          </label>
        </div>
        {form.kind === "ci" && (
          <label className={control.field}>
            <span>Branch tag (job.tag), optional</span>
            <input
              className={control.input}
              maxLength={limits.labelBytesMax}
              value={form.jobTag}
              onChange={(event) => setForm({ ...form, jobTag: event.target.value })}
            />
          </label>
        )}
        <fieldset>
          <legend className={control.label}>Scopes</legend>
          {scopeNames.map((scope) => (
            <label key={scope} className={control.check}>
              <input type="checkbox" checked={form.scopes.has(scope)} onChange={(event) => pick(scope, event.target.checked)} />
              <span>
                <code>{scope}</code> <small>{scopes[scope]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {make.isError && (
          <p role="alert" className={control.danger}>
            {toApiError(make.error).title}: {toApiError(make.error).detail}
          </p>
        )}
        <div className={style.actions}>
          <button type="button" className={control.button} onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            className={`${control.button} ${control.primary}`}
            disabled={make.isPending || form.scopes.size === 0}
            data-testid="token-make"
          >
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
