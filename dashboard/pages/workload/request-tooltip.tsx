// The request the pointer is on, beside the pointer and inside the window.
import { useLayoutEffect, useRef } from "react";
import type { Requests } from "#core/workload/requests.ts";
import { requestFacts } from "./request-facts.ts";
import style from "./request-tooltip.module.css";

const gap = 14; // CSS px from the pointer

export type Hover = { readonly row: number; readonly x: number; readonly y: number }; // x and y in the window

export function RequestTooltip({ requests, hover: { row, x, y } }: { readonly requests: Requests; readonly hover: Hover }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tip = element.current;
    if (tip === null) return;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + gap + width > innerWidth ? Math.max(8, x - gap - width) : x + gap;
    const top = y + gap + height > innerHeight ? Math.max(8, y - gap - height) : y + gap;
    tip.style.translate = `${left}px ${top}px`;
  });
  return (
    <div ref={element} className={style.tip} role="presentation" data-testid="request-tooltip" data-row={row}>
      <strong>Request {row.toLocaleString("en-US")}</strong>
      <dl>
        {requestFacts(requests, row).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
