// The selected module: totals, the copies it stands for, its own tensors, and the way to its frames.
import { Flame, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { searchFor } from "#core/flamegraph/search.ts";
import { searchForModule } from "#core/shape/frame-name.ts";
import { printable } from "#core/printable.ts";
import type { TensorRow } from "#schema/api/models.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { formatBytes, formatCount, formatExact } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { ModuleNode, ShapeFacts } from "./module-nodes.ts";
import style from "./module-tree.module.css";

type DetailsProps = {
  readonly node: ModuleNode;
  readonly facts: ShapeFacts;
  readonly modelName: string;
  readonly modelId: string;
  readonly asked: string;
  readonly close: () => void;
};

export function ModuleDetails({ node, facts, modelName, modelId, asked, close }: DetailsProps) {
  const { tenant } = useSession();
  const search = searchFor(searchForModule({ className: node.className, path: node.path, lastPath: node.lastPath, modelName }));
  const tensors = facts.body.modules[node.row]!.tensors;
  return (
    <aside className={style.details} aria-label="Module details" data-testid="module-details">
      <header>
        <div>
          <h2>{printable(node.className)}</h2>
          <p className={style.path}>
            {node.path}
            {node.lastPath !== node.path && <> … {node.lastPath}</>}
          </p>
          {asked !== node.path && <p className={style.path}>opened for {asked}</p>}
        </div>
        <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the details" onClick={close}>
          <X size={14} />
        </button>
      </header>
      <Link
        to="/t/$tenant/flamegraph"
        params={{ tenant }}
        search={((old: Record<string, unknown>) => ({ ...keepRange(old), search, model: modelId })) as never}
        className={control.button}
        data-testid="analyze-module"
      >
        <Flame size={14} />
        Analyze with CUDA flamegraph
      </Link>
      <dl className={style.facts}>
        <Fact label="Parameters">
          <Quantity value={formatCount(node.parameters)} />
        </Fact>
        <Fact label="Weights">
          <Quantity value={formatBytes(node.weightBytes)} />
        </Fact>
        <Fact label="Submodules">{formatExact(node.submodules)}</Fact>
        {node.copies > 1 && <Fact label="Copies">×{formatExact(node.copies)}</Fact>}
        {node.copies > 1 && node.parameters > 0 && (
          <Fact label="Parameters, all copies">
            <Quantity value={formatCount(node.parameters * node.copies)} />
          </Fact>
        )}
        {node.shares !== "" && <Fact label="Alias">{node.shares}</Fact>}
      </dl>
      {tensors.length > 0 && (
        <section>
          <h3 className="visually-hidden">Tensors</h3>
          <ul className={style.tensors}>
            {tensors.map((tensor) => (
              <Tensor key={tensor.name} tensor={tensor} />
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Tensor({ tensor }: { readonly tensor: TensorRow }) {
  const marks = [tensor.role === "buffer" ? "buffer" : "", tensor.packedBits > 0 ? `${tensor.packedBits}-bit packed` : ""]
    .filter((mark) => mark !== "")
    .join(", ");
  return (
    <li>
      <code>{tensor.name}</code>
      <span>
        <span>
          [{tensor.dims.join(", ")}] {tensor.dtype}
          {marks !== "" && ` · ${marks}`}
        </span>
        {tensor.bytes === 0 ? "unsized" : <Quantity value={formatBytes(tensor.bytes)} />}
      </span>
    </li>
  );
}
