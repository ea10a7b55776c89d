// Readings of engines → MetricsUpload parts. A level is sent as it is; a counter as its increase since the reading before. What a counter had before the first reading
// is a series of its own with the label since=start: it is no increase of that moment, so no rate is ever made of it, and it is not lost.
import { type Label, labelsOf, labelText } from "#core/workload/prometheus/label-text.ts";
import { LineNotes } from "#core/workload/prometheus/line-notes.ts";
import type { EngineSample, Reading } from "#core/workload/prometheus/reading.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { limits } from "#schema/limits.ts";
import { MetricsPart, type SentSeries } from "./metrics-part.ts";

export type MetricsHead = {
  readonly agentVersion: string;
  readonly hostName: string; // "" = not known
  readonly importId: string; // label `import` of every series; "" for live ones, which have none
  readonly shiftS: number; // seconds added to the time of each reading
};

export type EncodedMetrics = {
  readonly parts: Uint8Array[]; // bodies of kind metrics, by time; not yet gzipped. The same readings and head give the same bytes
  readonly points: number;
  readonly firstS: number | null; // Unix seconds of the first and the last point
  readonly lastS: number | null;
  readonly notes: string[];
};

type Known = { before: number | null; readonly levels: SentSeries; readonly sinceStart: SentSeries };

// `readings` by time; a reading without one is taken to be at second 0, so `shiftS` is its time.
export function encodeMetrics(readings: readonly Reading[], head: MetricsHead): EncodedMetrics {
  const notes = new LineNotes();
  const series = new Map<string, Known | null>(); // null: its texts are too long to be sent
  const filled: MetricsPart[] = [];
  const moments = readings.map(({ atS }) => Math.floor((atS ?? 0) + head.shiftS));
  let points = 0;
  for (const [i, { samples }] of readings.entries()) {
    for (const sample of samples) {
      const known = knownSeries(series, sample, head, notes);
      if (known === null || isTooLarge(sample.value, notes)) continue;
      const [sent, value] = sample.cumulative ? increase(known, sample.value, notes) : [known.levels, sample.value];
      if (isTooLarge(value, notes)) continue;
      points++;
      if (filled.at(-1)?.add(sent, moments[i]!, value)) continue;
      filled.push(new MetricsPart(moments[0]!));
      filled.at(-1)!.add(sent, moments[i]!, value);
    }
  }
  const [firstS, lastS] = points === 0 ? [null, null] : [moments[0]!, moments.at(-1)!];
  return { parts: filled.map((part) => part.encode(head.agentVersion)), points, firstS, lastS, notes: notes.texts() };
}

function isTooLarge(value: number, notes: LineNotes): boolean {
  const is = Math.abs(value) > limits.measuredValueMax;
  if (is) notes.add(`Values over ${limits.measuredValueMax} (measuredValueMax), not sent`);
  return is;
}

// A counter that fell was set back by a restart: what it shows now came since.
function increase(known: Known, value: number, notes: LineNotes): [SentSeries, number] {
  const { before } = known;
  known.before = value;
  if (before === null) return [known.sinceStart, value];
  if (value < before) notes.add("Counters that fell because their process restarted, counted from 0 again");
  return [known.levels, value < before ? value : value - before];
}

function knownSeries(series: Map<string, Known | null>, sample: EngineSample, head: MetricsHead, notes: LineNotes): Known | null {
  const { metric, engine, modelName, labels } = sample;
  const key = JSON.stringify([metric, engine, modelName, labels]);
  const found = series.get(key);
  if (found !== undefined) return found;
  const own: Label[] = labelsOf(labels) ?? [];
  const marked = head.importId === "" ? own : [...own, ["import", head.importId] as const];
  const place = { metric, engine, hostName: head.hostName, modelName };
  const known: Known = { before: null, levels: { ...place, labels: labelText(marked) }, sinceStart: { ...place, labels: labelText([...marked, ["since", "start"]]) } };
  // A UTF-16 unit is at most three bytes: short texts need no count.
  const tooLong = Object.values(known.sinceStart).some((text) => text.length * 3 > limits.nameBytesMax && encodeUtf8(text).length > limits.nameBytesMax);
  if (tooLong) notes.add(`Series with a name or labels over ${limits.nameBytesMax.toLocaleString("en-US")} bytes (nameBytesMax), not sent`);
  series.set(key, tooLong ? null : known);
  return tooLong ? null : known;
}
