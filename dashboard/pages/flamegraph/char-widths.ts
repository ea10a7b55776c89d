// Width of a text as the sum of its characters' widths: thousands of labels a frame cost no call into the canvas once each character was met.
import type { Measure } from "./label.ts";

export function charWidths(measureOne: (character: string) => number): Measure {
  const known = new Map<string, number>();
  return (text) => {
    let sum = 0;
    for (const character of text) {
      let width = known.get(character);
      if (width === undefined) {
        width = measureOne(character);
        known.set(character, width);
      }
      sum += width;
    }
    return sum;
  };
}
