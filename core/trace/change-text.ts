// How much something changed, as people read it. `relative`: difference by what was before; null: there was nothing before.
export function relativeText(relative: number | null, difference: number): string {
  if (Math.round(difference) === 0) return "";
  if (relative === null) return "new";
  return relative === -1 ? "gone" : `${relative < 0 ? "−" : "+"}${Math.abs(100 * relative).toFixed(1)} %`;
}
