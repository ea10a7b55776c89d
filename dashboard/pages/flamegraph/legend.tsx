// The frame kinds of the answer. A click takes a kind out of every stack (the server merges what is left exactly); a second click brings it back.
import { frameKindNames, frameKinds, type FrameKindName } from "#schema/frame-kinds.ts";
import { frameColours } from "./frame-colours.ts";
import style from "./legend.module.css";

const order: readonly FrameKindName[] = [
  "layer",
  "python",
  "native",
  "op",
  "os_kernel",
  "gpu_api",
  "gpu_kernel",
  "nvtx",
  "sass",
  "stall",
  "instruction",
];

export function Legend({
  present,
  hidden,
  toggle,
  colours = true,
}: {
  readonly present: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
  readonly toggle: (kind: FrameKindName) => void;
  readonly colours?: boolean; // false: fills say something else than the kind
}) {
  const kinds = [...order, ...frameKindNames.filter((kind) => !order.includes(kind))].filter((kind) => present.has(kind) || hidden.has(kind));
  return (
    <ul className={style.legend} aria-label="Frame kinds" data-testid="legend">
      {kinds.map((kind) => {
        const shown = !hidden.has(kind);
        return (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={shown}
              onClick={() => toggle(kind)}
              title={shown ? `Hide ${frameKinds[kind].label} frames` : `Show ${frameKinds[kind].label} frames`}
              data-testid={`legend-${kind}`}
            >
              <span className={style.swatch} data-kind={kind} style={{ background: shown ? (colours ? frameColours[kind] : "var(--border-strong)") : "transparent" }} />
              {frameKinds[kind].label}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
