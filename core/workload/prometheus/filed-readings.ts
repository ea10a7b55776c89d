// When readings are filed in the store. Moments that a file states are kept while the store still takes them; older ones, and distances from an unknown start, are moved
// so that the last reading is now. Distances between readings never change.
import { err, ok, type Result } from "#core/result.ts";
import { limits } from "#schema/limits.ts";
import { LineNotes } from "./line-notes.ts";
import type { MetricsFile, Reading } from "./reading.ts";

export type SavedFile = { readonly file: MetricsFile; readonly savedAtS: number }; // Unix seconds; the time of a dump that does not say its own

export type FiledReadings = { readonly readings: readonly Reading[]; readonly shiftS: number; readonly notes: readonly string[] };

const marginS = 3_600; // sending takes its time, and the door judges again

// Several files are dumps of the same engines, one after the other.
export function filedReadings(files: readonly SavedFile[], nowS: number): Result<FiledReadings, string> {
  const isRelative = files.some(({ file }) => file.times === "relative");
  if (isRelative && files.length > 1) return err("several files can only be imported together when each says its moment; import time series one by one");
  const all = files.flatMap(({ file, savedAtS }) => file.readings.map((reading) => ({ ...reading, atS: reading.atS ?? savedAtS }))).sort((a, b) => a.atS - b.atS);
  const last = all.at(-1)?.atS ?? nowS;
  const earliest = nowS - limits.sampleAgeDaysMax * 86_400 + marginS;
  const shiftS = isRelative || last < earliest || last > nowS + limits.sampleFutureSecondsMax ? nowS - Math.floor(last) : 0;
  const readings = all.filter(({ atS }) => atS + shiftS >= earliest);
  const notes = new LineNotes();
  if (readings.length < all.length) notes.add(`Readings more than ${limits.sampleAgeDaysMax} days old (sampleAgeDaysMax), not sent`, null, all.length - readings.length);
  return ok({ readings, shiftS, notes: notes.texts() });
}
