// A share of what holds it, as a bar and in percent: green where it is small, red where it is most of it. The colour falls in lightness as the share grows, and says
// nothing that the text does not.
import { formatShare } from "../../parts/number-format.ts";
import { shareStep } from "./share-step.ts";
import style from "./share-bar.module.css";

export function ShareBar({ share, title }: { readonly share: number; readonly title?: string }) {
  return (
    <span className={style.share} title={title}>
      <span className={style.track} aria-hidden="true">
        <span style={{ width: `${Math.min(100, 100 * share)}%`, background: `var(--share-${shareStep(share)})` }} />
      </span>
      <span>{formatShare(share)}</span>
    </span>
  );
}
