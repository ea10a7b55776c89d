// The dtypes of a module's weights.
import { printable } from "#core/printable.ts";
import type { ModuleDetail } from "#schema/api/shapes.ts";
import { formatBytes, formatExact, formatShare } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Section } from "./detail-parts.tsx";
import style from "./module-details.module.css";

// Weight bytes per dtype, as a share of the module's weights.
export function Precision({ precision }: { readonly precision: ModuleDetail["precision"] }) {
  return (
    <Section title="Precision">
      <ul className={style.precision} data-testid="precision">
        {precision.map(({ dtype, tensors, bytes, share }) => (
          <li key={dtype} title={`${formatExact(tensors)} ${tensors === 1 ? "tensor" : "tensors"}`}>
            <span>{printable(dtype)}</span>
            <i style={{ width: `${(share ?? 0) * 100}%` }} />
            <span>{bytes === null ? "unsized" : <Quantity value={formatBytes(bytes)} />}</span>
            <span>{share === null ? "—" : formatShare(share)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
