// Which columns the table has: what is not chosen is neither shown nor saved. The request's number always is.
import { Columns3 } from "lucide-react";
import { useId } from "react";
import control from "../../parts/control.module.css";
import type { TableColumn } from "../../parts/table-column.ts";
import style from "./column-choice.module.css";

export function ColumnChoice({ columns, hidden, choose }: { readonly columns: readonly TableColumn[]; readonly hidden: ReadonlySet<string>; readonly choose: (hidden: readonly string[]) => void }) {
  const id = useId();
  const others = columns.slice(1);
  const shown = others.filter(({ name }) => !hidden.has(name)).length;
  return (
    <>
      <button type="button" className={`${control.button} ${style.opener}`} popoverTarget={id} data-testid="columns">
        <Columns3 size={13} aria-hidden="true" />
        Columns{shown < others.length && ` ${shown + 1} of ${others.length + 1}`}
      </button>
      <div id={id} popover="auto" className={style.panel} role="dialog" aria-label="Columns">
        {others.map(({ name, label }) => (
          <label key={name} className={control.check}>
            <input type="checkbox" checked={!hidden.has(name)} onChange={() => choose(others.map((one) => one.name).filter((one) => (one === name ? !hidden.has(one) : hidden.has(one))))} data-testid={`column-${name}`} />
            {label}
          </label>
        ))}
      </div>
    </>
  );
}
