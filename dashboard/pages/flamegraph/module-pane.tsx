// From a frame to the model: the module that encloses the selected frame, the modules around that, and its copies in the other blocks. Where the drawing does not
// say the module (the leaf first, layers hidden) the modules that the frame lies in are asked for.
import { useQuery } from "@tanstack/react-query";
import { Box, X } from "lucide-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, use, type ReactNode } from "react";
import { pathTo } from "#core/flamegraph/tree-index.ts";
import { pathPattern } from "#core/module-path.ts";
import { printable } from "#core/printable.ts";
import type { FrameModules } from "#schema/api/flamegraph-tables.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { formatShare, formatValue } from "../../parts/number-format.ts";
import { Loading } from "../../parts/states.tsx";
import { Quantity } from "../../parts/quantity.tsx";
import type { DrawnGraph } from "./drawn-graph.ts";
import { FlamegraphOrigin } from "./flamegraph-origin.ts";
import { frameModulesQuery } from "./frame-modules-query.ts";
import { frameFacts, type FrameFacts } from "./frame-facts.ts";
import { ModuleCopies } from "./module-copies.tsx";
import { noModuleReason } from "./module-link.tsx";
import { withoutCommon } from "./short-paths.ts";
import style from "./module-pane.module.css";

type PaneProps = {
  readonly graph: DrawnGraph;
  readonly node: number;
  readonly search: FlamegraphSearch;
  readonly select: (node: number) => void;
  readonly close: () => void;
};

export function ModulePane(props: PaneProps) {
  const { graph, node, close } = props;
  const facts = frameFacts(graph, node);
  const real = facts.kind !== "root" && facts.kind !== "other";
  const stored = use(FlamegraphOrigin) === "stored"; // of a file that is only open nobody else can be asked
  return (
    <aside className={style.pane} aria-label="The frame in its model" data-testid="module-pane">
      <header className={style.head}>
        <h2>In the model</h2>
        <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the model beside the drawing" title="Close (p)" onClick={close}>
          <X size={14} />
        </button>
      </header>
      {!real ? <p className={style.note}>Select a frame to see the module it runs in.</p> : facts.inModule ? <Enclosing {...props} facts={facts} /> : stored ? <Asked {...props} /> : <p className={style.note}>{noModuleReason(graph, facts, true)}</p>}
    </aside>
  );
}

// The layers above the frame, from the model down; the innermost is the one that launched it.
function Enclosing({ graph, node, search, select, facts }: PaneProps & { readonly facts: FrameFacts }) {
  const { nodes, frames } = graph;
  const layers = (graph.rootFirst ? pathTo(nodes.parent, node) : [node]).filter((at) => frames.kind[nodes.frame[at] as number] === "layer");
  const parent = layers.at(-1) as number;
  const own = frameFacts(graph, parent);
  const self = parent === node;
  const pattern = pathPattern(facts.modulePath);
  const stored = use(FlamegraphOrigin) === "stored";
  return (
    <>
      <section className={style.module}>
        <h3>{own.shortName}</h3>
        <code data-testid="enclosing-module">{facts.modulePath === "" ? "the model itself" : printable(facts.modulePath)}</code>
        <dl className={style.facts}>
          {facts.moduleClass !== "" && <Fact label="Class">{printable(facts.moduleClass)}</Fact>}
          <Fact label="All of it here">
            <Quantity value={own.total} /> · {own.ofRoot}
          </Fact>
          <Fact label={self ? "Selected" : "The selected frame of it"}>{self ? "the layer itself" : formatShare((nodes.total[node] as number) / Math.max(1, nodes.total[parent] as number))}</Fact>
        </dl>
        <ModelLink graph={graph} facts={facts} />
      </section>
      <section>
        <h3 className={style.sub}>Modules around it</h3>
        <ul className={style.chain} data-testid="module-chain">
          {layers.map((layer) => {
            const one = frameFacts(graph, layer);
            return (
              <li key={layer} data-parent={layer === parent}>
                <button type="button" title={`Select ${one.name}`} onClick={() => select(layer)}>
                  {layer === parent && <span className={style.mark}>parent</span>}
                  {one.shortName}
                </button>
                <span className={style.share}>{one.ofRoot}</span>
              </li>
            );
          })}
        </ul>
      </section>
      {stored && pattern.includes("*") && <ModuleCopies graph={graph} search={search} pattern={pattern} path={facts.modulePath} modelKey={facts.modelKey} />}
    </>
  );
}

export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

// The graph is heavy and not everyone's: loaded where there is one to show.
const EmbeddedGraph = lazy(async () => ({ default: (await import("../model/graph/embedded-graph.tsx")).EmbeddedGraph }));

function ModelLink({ graph, facts }: { readonly graph: DrawnGraph; readonly facts: FrameFacts }) {
  const { tenant, me } = useSession();
  const reason = noModuleReason(graph, facts, me.flags.models === true);
  if (reason !== "") return <p className={style.note}>{reason}</p>;
  return <ShownInModel tenant={tenant} model={facts.modelKey} path={facts.modulePath} />;
}

// The model's graph, opened on the module, which is marked; a click on another opens that one's page.
function ShownInModel({ tenant, model, path }: { readonly tenant: string; readonly model: string; readonly path: string }) {
  const navigate = useNavigate();
  const open = (module: string) =>
    void navigate({ to: "/t/$tenant/models/$model", params: { tenant, model }, search: ((old: Record<string, unknown>) => ({ ...keepRange(old), path: module === "" ? "." : module })) as never });
  return (
    <>
      <div className={style.graph}>
        <Suspense fallback={<Loading what="the module graph" rows={4} />}>
          <EmbeddedGraph model={model} path={path} select={(module) => module !== path && open(module)} />
        </Suspense>
      </div>
      <OpenModule tenant={tenant} model={model} path={path} />
    </>
  );
}

function OpenModule({ tenant, model, path }: { readonly tenant: string; readonly model: string; readonly path: string }) {
  return (
    <Link
      to="/t/$tenant/models/$model"
      params={{ tenant, model }}
      search={((old: Record<string, unknown>) => ({ ...keepRange(old), path: path === "" ? "." : path })) as never}
      className={control.button}
      data-testid="open-module"
    >
      <Box size={13} aria-hidden="true" />
      Open in the model
    </Link>
  );
}

// What the drawing does not say, asked of the whole selection.
function Asked({ graph, node, search }: PaneProps) {
  const { tenant } = useSession();
  const id = graph.frames.id[graph.nodes.frame[node] as number] as string;
  const answer = useQuery(frameModulesQuery(tenant, useTimeRange(), search, id));
  if (answer.isPending) return <p className={style.note}>Asking which modules it lies in…</p>;
  if (answer.isError) return <p className={style.note}>{toApiError(answer.error).detail}</p>;
  return <Modules answer={answer.data} tenant={tenant} />;
}

function Modules({ answer, tenant }: { readonly answer: FrameModules; readonly tenant: string }) {
  const { me } = useSession();
  const { modules, unit, without, cut, execution } = answer;
  const [first] = modules;
  if (first === undefined)
    return <p className={style.note}>It runs inside no module of a model: nothing that was recorded says a layer above it. Samples have layers only where model shapes are extracted, and CPU samples have none.</p>;
  const shortPath = withoutCommon(modules.map((one) => one.modulePath));
  const reason = noModuleReason({ execution, rootFirst: true }, { inModule: true, modulePath: first.modulePath, modelKey: first.modelKey }, me.flags.models === true);
  return (
    <>
      <section className={style.module}>
        <h3>{printable(first.name)}</h3>
        <code data-testid="enclosing-module">{first.modulePath === "" ? "the model itself" : printable(first.modulePath)}</code>
        {reason === "" ? <ShownInModel tenant={tenant} model={first.modelKey} path={first.modulePath} /> : <p className={style.note}>{reason}</p>}
      </section>
      <section>
        <h3 className={style.sub}>Modules it lies in, wherever it occurs</h3>
        <ul className={style.list} data-testid="frame-modules">
          {modules.map((one) => (
            <li key={`${one.modelKey} ${one.modulePath} ${one.name}`}>
              <span title={printable(one.modulePath)}>
                {one === first && <span className={style.mark}>parent</span>}
                {printable(one.modulePath === "" ? one.name : shortPath(one.modulePath))}
              </span>
              <Quantity value={formatValue(one.total, unit)} />
              <span>{formatShare(one.share)}</span>
            </li>
          ))}
        </ul>
        {cut.modules > 0 && (
          <p className={style.note}>
            and {cut.modules} more, {formatValue(cut.total, unit).text}
          </p>
        )}
        {without > 0 && <p className={style.note}>{formatValue(without, unit).text} of it in no module</p>}
      </section>
    </>
  );
}
