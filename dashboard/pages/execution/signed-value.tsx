// A difference: its sign in text, and red for more, blue for less.
import { formatValue, type Unit } from "../../parts/number-format.ts";
import style from "./signed-value.module.css";

export function SignedValue({ value, unit }: { readonly value: number; readonly unit: Unit }) {
  const { text, exact } = formatValue(Math.abs(value), unit);
  const sign = value === 0 ? "" : value > 0 ? "+" : "−";
  return (
    <span className={style.signed} data-sign={sign === "" ? "none" : value > 0 ? "more" : "less"} title={`${sign}${exact}`}>
      {value === 0 ? "0" : `${sign}${text}`}
    </span>
  );
}
