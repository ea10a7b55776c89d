// The exact lines that bring a workload's profiles into this tenant. What is chosen is in the URL, so a link to the lines can be passed on.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { setupSteps } from "#core/setup/setup-steps.ts";
import { notTogether, type SetupChoice, type SetupStep, tagsProblem } from "#core/setup/setup-choice.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import type { SetupSearch } from "../../app/url-state.ts";
import { CodeLines } from "../../parts/code-lines.tsx";
import { SetupForm } from "./setup-form.tsx";
import style from "./setup-page.module.css";

export function SetupPage() {
  const { tenant } = useSession();
  const search = useSearch({ from: "/t/$tenant/setup" });
  const navigate = useNavigate({ from: "/t/$tenant/setup" });
  const choice = choiceOf(search, `${location.origin}/t/${tenant}`);
  const change = (next: Partial<SetupSearch>) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const refused = notTogether(choice);
  const steps = refused === undefined ? setupSteps({ ...choice, tags: tagsProblem(choice.tags) === undefined ? choice.tags : "" }) : [];
  return (
    <>
      <PageHeader title="Set up" />
      <div className={style.page}>
        <SetupForm choice={choice} change={change} />
        {refused !== undefined && (
          <p role="alert" className={style.refused} data-testid="setup-refused">
            {refused}
          </p>
        )}
        {refused === undefined && (
          <>
            <section className={style.section} aria-labelledby="setup-today">
              <h2 id="setup-today">Works today</h2>
              <p className={style.lead}>
                From the project's checkout, on the machine that has the workload or its files. <code>npx lamella</code> there is this version of the command. Files can also be dropped on this window
                without sending them anywhere.
              </p>
              <Steps steps={steps.filter(({ when }) => when === "today")} tenant={tenant} />
            </section>
            <section className={style.section} aria-labelledby="setup-agent">
              <h2 id="setup-agent">With the agent</h2>
              <p className={style.notice} role="note" data-testid="setup-agent-notice">
                The injected library and the host agent are not released yet, so these lines do not work yet. They are what will be needed: the names of files, options and variables are final, the image of the
                agent is not.
              </p>
              <Steps steps={steps.filter(({ when }) => when === "agent")} tenant={tenant} />
            </section>
          </>
        )}
      </div>
    </>
  );
}

function Steps({ steps, tenant }: { readonly steps: readonly SetupStep[]; readonly tenant: string }) {
  return (
    <ol className={style.steps}>
      {steps.map(({ id, title, about, lines }) => (
        <li key={id} className={style.step} data-testid="setup-step" data-step={id}>
          <h3>{title}</h3>
          <p>
            {about}
            {id === "server" && <TokenHint tenant={tenant} />}
            {id === "flag" && (
              <>
                {" "}
                Or under{" "}
                <Link to="/t/$tenant/settings/flags" params={{ tenant }} search={keepRange as never}>
                  Feature flags
                </Link>
                .
              </>
            )}
          </p>
          <CodeLines label={title} lines={lines} testId={`setup-lines-${id}`} />
        </li>
      ))}
    </ol>
  );
}

function TokenHint({ tenant }: { readonly tenant: string }) {
  const { me } = useSession();
  if (!me.scopes.includes("admin")) return <> An owner of the tenant makes the token: scopes ingest and read.</>;
  return (
    <>
      {" "}
      <Link to="/t/$tenant/settings/tokens" params={{ tenant }} search={keepRange as never}>
        Make a token
      </Link>{" "}
      with the scopes ingest and read{me.tenant.embedded && "; on the machine of this embedded stack both lines can be left out"}.
    </>
  );
}

function choiceOf(search: SetupSearch, endpoint: string): SetupChoice {
  return {
    engine: search.engine ?? "vllm",
    platform: search.platform ?? "docker",
    gpu: search.gpu ?? "nvidia",
    shapes: search.shapes !== "off",
    pcSampling: search.pc === "on",
    log: search.log === "on",
    tags: search.tags ?? "",
    cluster: search.cluster ?? "",
    endpoint,
  };
}
