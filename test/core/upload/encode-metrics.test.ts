// Readings → uploads, read back as lines: second metric{labels} value host/model.
import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { checkMetrics } from "#core/upload/check-messages.ts";
import { encodeMetrics, type MetricsHead } from "#core/upload/encode-metrics.ts";
import type { EngineSample, Reading } from "#core/workload/prometheus/reading.ts";
import { type MetricsUpload, MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { limits } from "#schema/limits.ts";

const nowS = 1_764_426_720;
const head: MetricsHead = { agentVersion: "lamella-cli 0.1.0", hostName: "node-7", importId: "", shiftS: 0 };
const level = (metric: string, value: number, labels = ""): EngineSample => ({ metric, cumulative: false, engine: "vllm", modelName: "org/net", labels, value });
const counter = (metric: string, value: number, labels = ""): EngineSample => ({ ...level(metric, value, labels), cumulative: true });

function linesOf({ strings, baseTimeS, ...upload }: MetricsUpload): string[] {
  return upload.pointSeries.map((series, i) => {
    const [metric, engine, host, model, labels] = [upload.seriesMetric, upload.seriesEngine, upload.seriesHostName, upload.seriesModelName, upload.seriesLabels].map((column) => strings[column[series]!]);
    return `${Number(baseTimeS) + Number(upload.pointTimeS[i]) - nowS} ${metric}{${labels}} ${upload.pointValue[i]} ${engine}@${host}/${model}`;
  });
}

function encode(readings: Reading[], change: Partial<MetricsHead> = {}) {
  const encoded = encodeMetrics(readings, { ...head, ...change });
  const uploads = encoded.parts.map((part) => fromBinary(MetricsUploadSchema, part));
  for (const upload of uploads) expect(checkMetrics(upload, nowS)).toBeNull();
  return { ...encoded, uploads, lines: uploads.flatMap(linesOf) };
}

test("levels go as they are; counters as increases, what was before the first reading apart", () => {
  const { lines, points, firstS, lastS, notes, uploads } = encode([
    { atS: nowS - 20, samples: [level("requests_running", 3), counter("prompt_tokens", 100)] },
    { atS: nowS - 10, samples: [level("requests_running", 5), counter("prompt_tokens", 130), counter("preemptions", 1)] },
    { atS: nowS, samples: [counter("prompt_tokens", 130)] },
  ]);
  expect(lines).toEqual([
    "-20 requests_running{} 3 vllm@node-7/org/net", "-20 prompt_tokens{since=start} 100 vllm@node-7/org/net", "-10 requests_running{} 5 vllm@node-7/org/net", "-10 prompt_tokens{} 30 vllm@node-7/org/net",
    "-10 preemptions{since=start} 1 vllm@node-7/org/net", "0 prompt_tokens{} 0 vllm@node-7/org/net",
  ]);
  expect([points, firstS, lastS, notes, uploads.length, uploads[0]!.agentVersion]).toEqual([6, nowS - 20, nowS, [], 1, "lamella-cli 0.1.0"]);
});

test("a counter that falls was set back by a restart, which is said", () => {
  const { lines, notes } = encode([10, 4, 6].map((value, i) => ({ atS: nowS - 20 + 10 * i, samples: [counter("prompt_tokens", value)] })));
  expect(lines.map((line) => line.split(" ")[2])).toEqual(["10", "4", "2"]);
  expect(notes).toEqual(["Counters that fell because their process restarted, counted from 0 again: 1"]);
});

test("labels tell series apart; an import is a label among them, in order", () => {
  const both = [counter("prompt_tokens", 5, "zone=a"), counter("prompt_tokens", 50, "zone=b")];
  expect(encode([{ atS: nowS, samples: both }, { atS: nowS, samples: both.map((one) => ({ ...one, value: one.value + 1 })) }], { importId: "ab" }).lines).toEqual([
    "0 prompt_tokens{import=ab,since=start,zone=a} 5 vllm@node-7/org/net", "0 prompt_tokens{import=ab,since=start,zone=b} 50 vllm@node-7/org/net",
    "0 prompt_tokens{import=ab,zone=a} 1 vllm@node-7/org/net", "0 prompt_tokens{import=ab,zone=b} 1 vllm@node-7/org/net",
  ]);
});

test("times are whole seconds, moved by the shift; a reading without one is at the shift", () => {
  expect(encode([{ atS: 0.9, samples: [level("requests_running", 1)] }, { atS: 1.4, samples: [level("requests_running", 2)] }], { shiftS: nowS }).lines.map((line) => line.split(" ")[0])).toEqual(["0", "1"]);
  expect(encode([{ atS: null, samples: [level("requests_running", 1)] }], { shiftS: nowS - 5 }).lines[0]).toMatch(/^-5 /);
});

test("nothing to send is no part", () => expect(encode([])).toMatchObject({ parts: [], points: 0, firstS: null, lastS: null }));

test("a series that no upload can carry is left out and said; the others are sent", () => {
  const { lines, notes } = encode([{ atS: nowS, samples: [level("requests_running", 1, `a=${"x".repeat(limits.nameBytesMax)}`), level("requests_waiting", 2)] }]);
  expect(lines).toEqual(["0 requests_waiting{} 2 vllm@node-7/org/net"]);
  expect(notes).toEqual(["Series with a name or labels over 16,384 bytes (nameBytesMax), not sent: 1"]);
});

test("values that no quantity has are left out and said; a counter goes on from the last one that could be", () => {
  const { lines, notes } = encode([3, 1e300, 5, -2e30].map((value, i) => ({ atS: nowS - 30 + 10 * i, samples: [level("requests_running", value), counter("prompt_tokens", value)] })));
  expect(lines.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual(["-30 requests_running{} 3", "-30 prompt_tokens{since=start} 3", "-10 requests_running{} 5", "-10 prompt_tokens{} 2"]);
  expect(notes).toEqual(["Values over 1e+30 (measuredValueMax), not sent: 4"]);
});

describe("much comes in parts, each within the bounds, in order, nothing lost, the same bytes each time", () => {
  test.each([
    ["many points", 60, 1_000, ""],
    ["long labels", 2, 900, "x".repeat(12_000)],
  ])("%s", (_, moments, series, filling) => {
    const readings = Array.from({ length: moments }, (_moment, i) => ({ atS: nowS - moments + i, samples: Array.from({ length: series }, (_series, n) => level("requests_running", i * series + n, `a=${n}${filling}`)) }));
    const { uploads, parts, lines, points } = encode(readings);
    expect(uploads.length).toBeGreaterThan(1);
    for (const [i, part] of parts.entries()) expect([part.length < limits.bodyBytesMax, uploads[i]!.pointSeries.length <= limits.samplesPerUploadMax]).toEqual([true, true]);
    expect(points).toBe(moments * series);
    expect(lines.map((line) => Number(/\} (\d+) /.exec(line)![1]))).toEqual(Array.from({ length: points }, (_point, i) => i));
    expect(encodeMetrics(readings, head).parts.map((part, i) => Buffer.compare(part, parts[i]!))).toEqual(parts.map(() => 0));
  });
});
