// Which rows of a long list are in sight, when all are equally high. No library: one that measures rows is 10 kB of script.
import { useCallback, useLayoutEffect, useState, type RefObject } from "react";

const around = 8; // rows drawn beyond the edge, so that a turn of the wheel finds them there

export type RowsInSight = {
  readonly first: number;
  readonly end: number; // the row after the last
  readonly onScroll: () => void;
  readonly reveal: (row: number) => void; // scrolls no further than it must
  readonly perPage: number;
};

// `head`: CSS px at the top that stay while the rows scroll below them.
export function useRowsInSight(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number, head: number): RowsInSight {
  const [sight, setSight] = useState({ first: 0, rows: 0 });
  const measure = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const next = { first: Math.floor(element.scrollTop / rowHeight), rows: Math.ceil(element.clientHeight / rowHeight) };
    setSight((old) => (old.first === next.first && old.rows === next.rows ? old : next));
  }, [scroller, rowHeight]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element); // tells the first size too
    return () => observer.disconnect();
  }, [scroller, measure]);
  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element === null) return;
      const y = row * rowHeight;
      const room = element.clientHeight - head - rowHeight;
      if (y < element.scrollTop) element.scrollTo({ top: y });
      else if (y > element.scrollTop + room) element.scrollTo({ top: y - room });
    },
    [scroller, rowHeight, head],
  );
  return { first: Math.max(0, Math.min(sight.first, count) - around), end: Math.min(count, sight.first + sight.rows + around), onScroll: measure, reveal, perPage: Math.max(1, sight.rows - 2) };
}
