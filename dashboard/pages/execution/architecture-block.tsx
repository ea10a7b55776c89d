// A module as a block: its name, its share of what holds it as a bar, and, opened in place, the modules it calls as blocks with arrows and its own operators.
import { ChevronRight } from "lucide-react";
import { useRef } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { forwardBlocks } from "#core/trace/forward-blocks.ts";
import type { ModuleStatistics } from "#core/trace/module-statistics.ts";
import { unlikeWords } from "#core/trace/module-lines.ts";
import { roleOfClass } from "#core/shape/role.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { blockFlow, type BlockArrow, type BlockFlow } from "./block-flow.ts";
import { FlowArrows, lanesOf, laneWidth } from "./flow-arrows.tsx";
import { OwnOperators } from "./own-operators.tsx";
import { ShareBar } from "./share-bar.tsx";
import type { ModuleTree, TreeRow } from "./tree-rows.ts";
import style from "./architecture.module.css";

export type Drawing = {
  readonly record: ExecutionRecord;
  readonly tree: ModuleTree<ModuleStatistics>;
  readonly rows: ReadonlyMap<number, TreeRow<ModuleStatistics>>; // by node, those in sight
  readonly shares: readonly number[]; // by node, of what holds it
  readonly own: readonly number[]; // by node, in no module it calls
  readonly selected: number; // node; -1 = none
  readonly active: number; // node that Tab comes to
  readonly id: string;
  readonly select: (at: number, op?: string) => void;
  readonly toggle: (at: number) => void;
};

export type Said = { readonly short: string; readonly whole: string }; // what a block gets from which, "" = nothing is known
export const nothingSaid: Said = { short: "", whole: "" };

// `around`: what the arrows of the block around it are, so that it is said once.
export function ArchitectureBlock({ drawing, at, said, around }: { readonly drawing: Drawing; readonly at: number; readonly said: Said; readonly around?: BlockFlow["source"] }) {
  const { record, tree, rows, shares, selected, active, id, select, toggle } = drawing;
  const { modules, texts, profileType } = record;
  const node = tree.nodes[at]!;
  const row = rows.get(at)!;
  const name = printable(node.label);
  const unlike = unlikeWords(node);
  return (
    <li
      className={style.block}
      data-selected={at === selected}
      data-role={roleOfClass(texts[modules.class[node.rows[0]!]!]!.split(".").at(-1)!)}
      data-stack={node.ownCopies > 1}
      data-testid="block"
      data-path={row.path}
    >
      <div className={style.line} data-line onClick={() => (at === selected && row.open !== null ? toggle(at) : select(at))}>
        {row.open === null ? (
          <span className={style.leaf} />
        ) : (
          <button
            type="button"
            tabIndex={-1}
            className={style.twisty}
            aria-expanded={row.open}
            aria-label={`What is called in ${name}`}
            onClick={(event) => {
              event.stopPropagation();
              toggle(at);
            }}
          >
            <ChevronRight size={14} />
          </button>
        )}
        <button type="button" id={`${id}-${at}`} className={style.name} tabIndex={at === active ? 0 : -1} aria-current={at === selected} data-select>
          <span title={name}>{name}</span>
          {node.ownCopies > 1 && <b title={`${plural(node.ownCopies, "copy", "copies")} built alike`}>×{node.ownCopies}</b>}
          {unlike !== "" && <em title={`Unlike its copies: ${unlike}`}>{unlike}</em>}
        </button>
        <span className={style.time}>
          <Quantity value={formatValue(node.value, profileTypes[profileType].unit)} />
        </span>
        <span className={style.bar}>
          <ShareBar share={shares[at]!} title="Share of the time of the module it is called in" />
        </span>
      </div>
      {said.short !== "" && (
        <p className={style.said} title={said.whole}>
          {said.short}
        </p>
      )}
      {row.open === true && <Inside drawing={drawing} at={at} around={around} />}
    </li>
  );
}

function Inside({ drawing, at, around }: { readonly drawing: Drawing; readonly at: number; readonly around: BlockFlow["source"] | undefined }) {
  const { record, tree, own, select } = drawing;
  const { modules, texts } = record;
  const list = useRef<HTMLUListElement>(null);
  const first = tree.nodes[at]!.rows[0]!;
  const path = texts[modules.path[first]!]!;
  const children = childrenOf(tree, at);
  const below = (row: number) => { const inner = texts[modules.path[row]!]!; return path !== "" && inner.startsWith(`${path}.`) ? inner.slice(path.length + 1) : inner; };
  const flow = blockFlow(children.map((child) => tree.nodes[child]!.rows.filter((row) => modules.parent[row] === first).map(below)), forwardBlocks(record.forward, path, texts[modules.class[first]!]!.split(".").at(-1)!));
  const labels = flow.order.map((place) => printable(tree.nodes[children[place]!]!.label));
  return (
    <div className={style.inside}>
      {flow.source !== around && (
        <p className={style.source} data-testid="flow-source" data-source={flow.source}>
          {sourceWords[flow.source]}
        </p>
      )}
      <div className={style.flow} style={{ paddingRight: lanesOf(flow.arrows) * laneWidth }}>
        <ul ref={list} className={style.list} style={{ marginRight: -lanesOf(flow.arrows) * laneWidth, paddingRight: lanesOf(flow.arrows) * laneWidth }}>
          {flow.source !== "calls" && (
            <li className={style.end}>
              {flow.inputs.length > 0 ? `in: ${printable(flow.inputs.join(", "))}` : "in"}
            </li>
          )}
          {flow.order.map((place, at) => (
            <ArchitectureBlock key={children[place]} drawing={drawing} at={children[place]!} said={saidOf(flow, at, labels)} around={flow.source} />
          ))}
          {flow.source !== "calls" && (
            <li className={style.end}>
              {outWords(flow, labels)}
            </li>
          )}
        </ul>
        <FlowArrows list={list} arrows={flow.arrows} first={flow.source === "calls" ? 0 : 1} certain={flow.source !== "calls"} />
      </div>
      <OwnOperators record={record} node={tree.nodes[at]!} own={own[at]!} open={(op) => select(at, op)} />
    </div>
  );
}

const sourceWords: Record<BlockFlow["source"], string> = {
  observed: "Arrows: what flowed in the forward that was watched",
  source: "Arrows: what may flow by the source of its forward, every branch counted as taken",
  calls: "In order of the first call; what flows where is not known: record with --with-forward, or import with --forward",
};

export function childrenOf<Node>({ parent }: ModuleTree<Node>, at: number): number[] {
  return Array.from(parent, (holder, child) => (holder === at ? child : -1)).filter((child) => child >= 0);
}

function saidOf({ arrows, source }: BlockFlow, place: number, labels: readonly string[]): Said {
  if (source === "calls") return nothingSaid;
  const into = arrows.filter(({ to, from }) => to === place && from !== place);
  const name = (from: number) => (from < 0 ? "the input" : labels[from]!);
  const again = arrows.some(({ from, to }) => from === place && to === place) ? ["each layer gets what the one before it gave"] : [];
  const say = (one: (arrow: BlockArrow) => string) => [...(into.length === 0 ? [] : [`gets ${into.map(one).join(", ")}`]), ...again].join("; ");
  return { short: say(({ from }) => name(from)), whole: say(({ from, text }) => `${name(from)}${text === "" ? "" : ` (${printable(text)})`}`) };
}

function outWords({ arrows, order }: BlockFlow, labels: readonly string[]): string {
  const from = arrows.filter(({ to }) => to === order.length).map(({ from: start }) => (start < 0 ? "the input" : labels[start]!));
  return from.length === 0 ? "out" : `out: from ${from.join(", ")}`;
}
