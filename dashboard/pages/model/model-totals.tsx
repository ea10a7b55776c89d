// The strip of figures above the tree: the same ones as the model's row in the list.
import type { ReactNode } from "react";
import { printable } from "#core/printable.ts";
import type { ModelRow } from "#schema/api/models.ts";
import { Moment } from "../../parts/moment.tsx";
import { formatBytes, formatCount } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Machines } from "../models/machines.tsx";
import { parallelismText } from "../models/models-columns.ts";
import style from "./model-page.module.css";

export function ModelTotals({ model, children }: { readonly model: ModelRow; readonly children: ReactNode }) {
  const unknown = <span>—</span>;
  return (
    <div className={style.totals} data-testid="model-totals" data-parameters={model.parameters}>
      <dl>
        <Fact label="Architecture">{printable(model.architecture) || "unknown"}</Fact>
        <Fact label="Parameters">{model.parameters === null ? unknown : <Quantity value={formatCount(model.parameters)} />}</Fact>
        <Fact label="Weights">{model.weightBytes === null ? unknown : <Quantity value={formatBytes(model.weightBytes)} />}</Fact>
        <Fact label="Modules">{model.modules === null ? unknown : <Quantity value={formatCount(model.modules)} />}</Fact>
        <Fact label="Hosts">{model.hosts}</Fact>
        <Fact label="Machines">
          <Machines count={model.machines} />
        </Fact>
        <Fact label="Processes">{model.processes}</Fact>
        <Fact label="Parallelism">{parallelismText(model.parallelism)}</Fact>
        <Fact label="Last seen">
          <Moment iso={model.lastSeen} />
        </Fact>
      </dl>
      {children}
    </div>
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
