// One MetricsUpload while it fills up: dictionaries of its own, closed before it goes over a bound.
import { create, toBinary } from "@bufbuild/protobuf";
import { encodeUtf8 } from "#core/utf8.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { limits } from "#schema/limits.ts";

export type SentSeries = { readonly metric: string; readonly engine: string; readonly hostName: string; readonly modelName: string; readonly labels: string };

// A part must fit its body bound even when gzip gains nothing; the rest is head-room for the message around the columns.
const partBytesMax = Math.min(limits.bodyBytesMax, limits.inflatedBytesMax) - 64 * 1024;

// Upper bounds of encoded sizes: a row number below 2^21 takes 3 bytes.
const seriesBytes = 5 * 3;
const pointBytes = 3 + 5 + 8; // series, seconds, value
const stringBytes = 4; // tag and length

export class MetricsPart {
  private readonly strings = new Map<string, number>([["", 0]]);
  private readonly seriesRow = new Map<SentSeries, number>();
  private readonly columns = {
    seriesMetric: [] as number[], seriesEngine: [] as number[], seriesHostName: [] as number[], seriesModelName: [] as number[], seriesLabels: [] as number[],
    pointSeries: [] as number[], pointTimeS: [] as bigint[], pointValue: [] as number[],
  };
  private readonly baseTimeS: number;
  private bytes = 0;

  constructor(baseTimeS: number) {
    this.baseTimeS = baseTimeS;
  }

  // Adds the point; false, with nothing changed, when it does not fit any more. An empty part takes any series whose texts are within their own bounds.
  add(series: SentSeries, atS: number, value: number): boolean {
    const isNew = !this.seriesRow.has(series);
    const words = isNew ? [...new Set(Object.values(series))].filter((word) => !this.strings.has(word)) : [];
    const bytes = this.bytes + pointBytes + (isNew ? seriesBytes : 0) + words.reduce((sum, word) => sum + stringBytes + encodeUtf8(word).length, 0);
    if (bytes > partBytesMax || this.columns.pointSeries.length >= limits.samplesPerUploadMax || this.strings.size + words.length > limits.stringsPerUploadMax) return false;
    this.bytes = bytes;
    if (isNew) this.addSeries(series);
    this.columns.pointSeries.push(this.seriesRow.get(series)!);
    this.columns.pointTimeS.push(BigInt(atS - this.baseTimeS));
    this.columns.pointValue.push(value);
    return true;
  }

  encode(agentVersion: string): Uint8Array {
    return toBinary(MetricsUploadSchema, create(MetricsUploadSchema, { agentVersion, baseTimeS: BigInt(this.baseTimeS), strings: [...this.strings.keys()], ...this.columns }));
  }

  private addSeries(series: SentSeries): void {
    const { columns } = this;
    this.seriesRow.set(series, columns.seriesMetric.length);
    columns.seriesMetric.push(this.string(series.metric));
    columns.seriesEngine.push(this.string(series.engine));
    columns.seriesHostName.push(this.string(series.hostName));
    columns.seriesModelName.push(this.string(series.modelName));
    columns.seriesLabels.push(this.string(series.labels));
  }

  private string(text: string): number {
    let row = this.strings.get(text);
    if (row === undefined) this.strings.set(text, (row = this.strings.size));
    return row;
  }
}
