// What the model needs of memory on each rank, for any TP × PP × EP: computed here from the shape, as the API and the command line do.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { shapeMemory, type Memory } from "#core/shape/memory/memory.ts";
import { kvLines, splitText } from "#core/shape/memory/memory-text.ts";
import { dimsText, packingNote } from "#core/shape/tensor-notes.ts";
import { printable } from "#core/printable.ts";
import type { ModelLayout, ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import control from "../../parts/control.module.css";
import { formatBytes, formatExact, formatShare } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ModelViews } from "./model-views.tsx";
import { shapeLayoutOf, sizesText } from "./shape-layout.ts";
import style from "./memory-view.module.css";

const sizes = [
  ["tp", "TP", "tensor-parallel size"],
  ["pp", "PP", "pipeline stages"],
  ["ep", "EP", "ranks that the experts are spread over"],
] as const;
const tensorsShown = 200;

export function MemoryView({ shape, layouts }: { readonly shape: ShapeBody; readonly layouts: readonly ModelLayout[] }) {
  const search = useSearch({ from: "/t/$tenant/models/$model" });
  const navigate = useNavigate({ from: "/t/$tenant/models/$model" });
  const stored = layouts.find(({ tp }) => tp > 1) ?? layouts[0];
  const asked = { tp: sizeOf(search.tp, stored?.tp), pp: sizeOf(search.pp, stored?.pp), ep: sizeOf(search.ep, stored?.ep) };
  const { tp, pp, ep } = asked;
  const memory = useMemo(() => shapeMemory(shape, { tp, pp, ep, layout: stored === undefined ? undefined : shapeLayoutOf(stored) }), [shape, tp, pp, ep, stored]);
  return (
    <div className={style.page}>
      <div className={style.bar}>
        <ModelViews />
        <span className={style.what}>What if</span>
        {sizes.map(([name, label, title]) => (
          <SizeField key={name} label={label} title={title} value={asked[name]} set={(size) => void navigate({ search: (old) => ({ ...old, [name]: String(size) }), replace: true })} testId={`memory-${name}`} />
        ))}
        {stored !== undefined && <span className={style.fine}>seen deployed: {layouts.map(sizesText).filter((text, i, all) => all.indexOf(text) === i).join(", ")}</span>}
      </div>
      <div className={style.scroll} role="region" aria-label="Memory" tabIndex={0}>
        {memory.ok ? <MemoryFigures memory={memory.value} /> : <p role="alert">{memory.error}.</p>}
      </div>
    </div>
  );
}

type SizeFieldProps = { readonly label: string; readonly title: string; readonly value: number; readonly set: (size: number) => void; readonly testId: string };

// What is typed stays as it is typed, empty too; what is a size is counted with at once.
function SizeField({ label, title, value, set, testId }: SizeFieldProps) {
  const [text, setText] = useState(String(value));
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (Number(text) !== value) setText(String(value));
  }
  const type = (typed: string) => {
    setText(typed);
    const size = Number(typed);
    if (Number.isInteger(size) && size >= 1 && size <= limits.parallelSizeMax) set(size);
  };
  return (
    <label className={style.size} title={title}>
      {label}
      <input className={control.input} type="number" min={1} max={limits.parallelSizeMax} value={text} onChange={(event) => type(event.target.value)} onBlur={() => setText(String(value))} data-testid={testId} />
    </label>
  );
}

function sizeOf(text: string | undefined, stored = 1): number {
  const size = text === undefined ? stored : Number(text);
  return Math.min(limits.parallelSizeMax, Math.max(1, size));
}

function MemoryFigures({ memory }: { readonly memory: Memory }) {
  const { weights, kv, problems, notes, inferred, replicated, tensors, tensorsTotal, pp } = memory;
  return (
    <div className={style.memory} data-testid="memory" data-bytes-per-rank={weights.bytesPerRank}>
      {problems.map((problem) => (
        <p key={problem} className={style.problem} role="alert">
          {printable(problem)}
        </p>
      ))}
      <dl className={style.figures}>
        <Figure label={pp > 1 ? `Weights on a rank of stage ${weights.largestStage}` : "Weights on a rank"} value={<Quantity value={formatBytes(weights.bytesPerRank)} />} />
        <Figure label="Weights in all" value={<Quantity value={formatBytes(weights.bytes)} />} />
        {weights.expertBytes > 0 && <Figure label="of these, experts" value={<><Quantity value={formatBytes(weights.expertBytes)} /> · {formatShare(weights.expertBytes / weights.bytes)}</>} />}
        <Figure label="KV cache per token, on a rank" value={kv.bytesPerTokenPerRank === null ? "—" : <Quantity value={formatBytes(kv.bytesPerTokenPerRank)} />} />
        <Figure label="KV cache per token, in all" value={kv.bytesPerToken === null ? "—" : <Quantity value={formatBytes(kv.bytesPerToken)} />} />
      </dl>
      <ul className={style.notes}>
        {[...kvLines(kv), ...notes, ...(weights.unsizedTensors > 0 ? [`${formatExact(weights.unsizedTensors)} tensors of an unsized dtype are not counted`] : []), `${formatExact(inferred)} kinds of tensors are divided by inference, ${formatExact(replicated)} are whole or repeated because they cannot be divided`].map((note) => (
          <li key={note}>{printable(note)}</li>
        ))}
      </ul>
      {weights.stages.length > 1 && (
        <Table label="Pipeline stages" heads={["Stage", "Layers", "Weights on a rank", "KV bytes per token"]}>
          {weights.stages.map(({ stage, layers, bytesPerRank, kvBytesPerTokenPerRank }) => (
            <tr key={stage}>
              <td>{stage}</td>
              <td data-numeric="true">{formatExact(layers)}</td>
              <td data-numeric="true">
                <Quantity value={formatBytes(bytesPerRank)} />
              </td>
              <td data-numeric="true">{kvBytesPerTokenPerRank === null ? "—" : formatExact(kvBytesPerTokenPerRank)}</td>
            </tr>
          ))}
        </Table>
      )}
      <Table label="Largest tensors" heads={["Tensor", "Shape", "Dtype", "Copies", "One copy", "On a rank", "How it is split"]}>
        {tensors.slice(0, tensorsShown).map((tensor) => (
          <tr key={tensor.path}>
            <td className={style.mono}>{printable(tensor.path)}</td>
            <td className={style.mono}>{dimsText(tensor.dims)}</td>
            <td>{[printable(tensor.dtype), packingNote(tensor)].filter(Boolean).join(" ")}</td>
            <td data-numeric="true">×{formatExact(tensor.copies)}</td>
            <td data-numeric="true">{tensor.bytes === null ? "unsized" : <Quantity value={formatBytes(tensor.bytes)} />}</td>
            <td data-numeric="true">{tensor.bytesPerRank === null ? "—" : <Quantity value={formatBytes(tensor.bytesPerRank)} />}</td>
            <td>{printable(splitText(tensor))}</td>
          </tr>
        ))}
      </Table>
      {tensorsTotal > tensorsShown && <p className={style.fine}>{formatExact(tensorsTotal - tensorsShown)} smaller kinds of tensors are not listed.</p>}
    </div>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Table({ label, heads, children }: { readonly label: string; readonly heads: readonly string[]; readonly children: ReactNode }) {
  return (
    <table className={style.table}>
      <caption>{label}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
