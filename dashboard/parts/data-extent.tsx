// How far the data reaches. "Nothing yet" (nothing was ever ingested) and "nothing" (data is complete, the selection is empty) are different sentences.
import { formatClock, formatExactMoment } from "./moment-format.ts";
import { useNow } from "./moment.tsx";
import style from "./data-extent.module.css";

export function DataExtent({ ingestedThrough }: { readonly ingestedThrough: string | null | undefined }) {
  const now = useNow();
  if (ingestedThrough === undefined) return null;
  if (ingestedThrough === null)
    return (
      <span className={style.line} data-state="nothing-yet" data-testid="data-extent">
        Nothing was ingested yet
      </span>
    );
  const at = Date.parse(ingestedThrough);
  return (
    <span className={style.line} data-state="current" data-testid="data-extent" title={formatExactMoment(at)}>
      data is current to <time dateTime={ingestedThrough}>{formatClock(at, now)}</time>
    </span>
  );
}
