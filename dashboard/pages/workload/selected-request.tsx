// All that is known of the selected request, in sight wherever on the page it was selected.
import { X } from "lucide-react";
import control from "../../parts/control.module.css";
import { requestFacts } from "./request-facts.ts";
import type { Selection } from "./selection.ts";
import style from "./workload-page.module.css";

export function SelectedRequest({ selection: { requests, rows, selected, change } }: { readonly selection: Selection }) {
  if (selected === null) return null;
  return (
    <div className={style.selected} data-testid="selected-request" data-row={selected}>
      <strong>Request {selected.toLocaleString("en-US")}</strong>
      {!rows.includes(selected) && <em>not among those shown</em>}
      <dl>
        {requestFacts(requests, selected).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Select no request" onClick={() => change({ request: undefined }, true)}>
        <X size={14} />
      </button>
    </div>
  );
}
