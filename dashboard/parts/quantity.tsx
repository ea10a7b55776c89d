// A rounded number whose exact value shows on hover and is what a screen reader gets.
import type { Formatted } from "./number-format.ts";

export function Quantity({ value }: { readonly value: Formatted }) {
  if (value.text === value.exact) return <span>{value.text}</span>;
  return <span title={value.exact}>{value.text}</span>;
}
