// The arrows between the blocks of one opened module, drawn over where the blocks happen to be. What they say is in the blocks' own text; a reader without eyes misses
// nothing.
import { useLayoutEffect, useState, type RefObject } from "react";
import { laneArrows, type BlockArrow } from "./block-flow.ts";
import style from "./architecture.module.css";

export const laneWidth = 9; // CSS px

type Box = { readonly top: number; readonly bottom: number; readonly middle: number };

export type FlowArrowsProps = {
  readonly list: RefObject<HTMLElement | null>; // its children: the blocks in their order, with the module's input before and its output after them where they are known
  readonly first: number; // the child that is the first block
  readonly arrows: readonly BlockArrow[];
  readonly certain: boolean;
};

export function FlowArrows({ list, first, arrows, certain }: FlowArrowsProps) {
  const [boxes, setBoxes] = useState<readonly Box[]>([]);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = () => {
      const origin = element.getBoundingClientRect();
      setWidth(element.offsetWidth);
      setBoxes(
        Array.from(element.children, (child) => {
          const { top, bottom } = child.getBoundingClientRect();
          // A block that is open is entered at its own line, not in the middle of what it holds.
          const line = (child.querySelector("[data-line]") ?? child).getBoundingClientRect();
          return { top: top - origin.top, bottom: bottom - origin.top, middle: line.top + line.height / 2 - origin.top };
        }),
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    measure();
    return () => observer.disconnect();
  }, [list]);
  if (boxes.length === 0) return null;
  const right = width - lanesOf(arrows) * laneWidth;
  const middle = 26;
  return (
    <svg className={style.arrows} width={width} height={boxes.at(-1)!.bottom} aria-hidden="true" data-certain={certain} data-testid="flow-arrows" data-arrows={arrows.length}>
      {laneArrows(arrows).map(({ arrow, lane }) => {
        const [from, to] = [boxes[arrow.from + first], boxes[arrow.to + first]];
        if (from === undefined || to === undefined) return null;
        const x = right + lane * laneWidth - 2;
        const path = lane === 0 ? `M${middle} ${from.bottom} V${to.top}` : `M${right} ${from.middle + 4} H${x - 4} q4 0 4 4 V${to.middle - 8} q0 4 -4 4 H${right + 1}`;
        const head = lane === 0 ? `M${middle - 4} ${to.top - 6} L${middle} ${to.top} L${middle + 4} ${to.top - 6}` : `M${right + 6} ${to.middle - 8} L${right} ${to.middle - 4} L${right + 6} ${to.middle}`;
        return <path key={`${arrow.from} ${arrow.to}`} d={`${path} ${head}`} />;
      })}
    </svg>
  );
}

export function lanesOf(arrows: readonly BlockArrow[]): number {
  return laneArrows(arrows).reduce((most, { lane }) => Math.max(most, lane), 0);
}
