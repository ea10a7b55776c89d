// Whether two statements of one figure say the same, as far as files that keep few digits can.
export const figureTolerance = 0.001;
export const rateTolerance = 0.02; // tools measure the duration around the requests, not from the first to the last

export function figuresAgree(said: number, found: number, within = figureTolerance): boolean {
  return Math.abs(said - found) <= within * Math.max(Math.abs(said), Math.abs(found));
}
