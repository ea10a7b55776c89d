// Whether two statements of one figure say the same, as far as files that keep few digits can.
export const figureTolerance = 0.001;

export function figuresAgree(said: number, found: number, within = figureTolerance): boolean {
  return Math.abs(said - found) <= within * Math.max(Math.abs(said), Math.abs(found));
}
