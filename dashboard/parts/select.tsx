// A native select: it works everywhere and reads well.
import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import control from "./control.module.css";
import style from "./select.module.css";

export function Select({
  label,
  value,
  change,
  testId,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly testId: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`${control.selectWrap} ${style.wrap}`}>
      <select
        className={control.select}
        aria-label={label}
        title={label}
        value={value}
        onChange={(event) => change(event.target.value)}
        data-testid={testId}
      >
        {children}
      </select>
      <ChevronDown size={13} aria-hidden="true" />
    </span>
  );
}
