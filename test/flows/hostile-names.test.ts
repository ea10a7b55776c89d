// Names and texts made to command a terminal or to be read as markup: whatever an upload carries, the commands print it as text.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeUtf8 } from "#core/utf8.ts";
import { root } from "#local/worker.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { drawnStep, drawRecord } from "#test/rig/draw-record.ts";
import { StackRig } from "#test/rig/stack.ts";
import { executionUpload, nowS, oneSample, randomId, samplesUpload, workloadUpload } from "#test/rig/uploads.ts";

// Every text is told from every other by its first word, so that a test sees where one is missing.
const odd = (word: string) => `${word}\u001b[2J\u009b1m\u202e\u200b\u0007\r\n\t<script>|\`**b**[x](http://e)@me`;
const shown = (word: string) => `${word}\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{200b}\\u{7}`; // some columns make one space of any

function oddRecord(factor: number): ExecutionRecord {
  const drawn = drawRecord(`.  Net 2 ${24_000 * factor} 4\n  layers.0 Layer 2 ${14_000 * factor} 2\n  only${factor} Odd 1 ${factor} 1`, {
    headline: odd("headline"), device: odd("device"), modelName: odd("model"), notes: [odd("note")], gaps: [{ reason: odd("reason"), kernels: 1, value: 1 }], missing: [{ what: odd("what"), disables: odd("disables"), remedy: odd("remedy") }],
    steps: [drawnStep(1, { label: odd("step"), phase: "prefill", prefillRequests: 1, prefillTokens: 4, value: 5, durationNs: 9 })], categories: [{ category: odd("category"), kernels: 1, value: 5 * factor }], request: { label: odd("request"), inputTokens: 1, outputTokens: 2 * factor, latencyNs: 3 },
    kernels: [{ module: 1, op: "op", kernel: "kernel", category: "matmul", fused: "fused", grid: "grid", block: "block", dims: "dims", dtypes: "dtypes", count: 2, value: 14_000 * factor }],
  });
  return { ...drawn, texts: drawn.texts.map((text) => (text === "" ? text : odd(text))), operations: { module: [1], op: [3], calls: [1], cpuNs: [5] } };
}

let rig: StackRig;
const [a, b, workload] = [randomId(64), randomId(64), randomId(64)];
const strings = ["", odd("metric"), odd("engine"), odd("host"), odd("served"), "key\u001b[2J=value\u202e"];
beforeAll(async () => {
  rig = await StackRig.open();
  for (const [i, id] of [a, b].entries()) {
    const summary = executionUpload(id, 1, 50n, { name: odd("name"), device: odd("device"), modelName: odd("model"), notes: [odd("note")], gaps: [{ reason: odd("reason"), kernels: 1n, value: 1n }], digest: encodeUtf8(JSON.stringify(oddRecord(i + 1))) });
    await rig.send(rig.demo, ["samples", samplesUpload(oneSample(50), { executionId: id, part: 1, parts: 1 })], ["executions", summary]);
  }
  await rig.send(rig.demo, ["workloads", workloadUpload(3, {
    workloadId: workload, name: odd("run"), tool: odd("tool"), toolVersion: odd("version"), label: odd("label"), engine: odd("engine"), modelName: odd("served"), dateText: odd("date"), loadStrategy: odd("strategy"), notes: [odd("note")], failed: [false, false, true], errors: ["", odd("error")], error: [0, 0, 1],
    aggregates: [{ engine: odd("aggregate"), metric: odd("counted"), value: 1, observations: 2 }],
  })]);
  await rig.send(rig.demo, ["metrics", new Uint8Array(toBinary(MetricsUploadSchema, create(MetricsUploadSchema, {
    agentVersion: "flow test 1", baseTimeS: BigInt(nowS() - 60), strings, seriesMetric: [1], seriesEngine: [2], seriesHostName: [3], seriesModelName: [4], seriesLabels: [5], pointSeries: [0], pointTimeS: [0n], pointValue: [1],
  })))]);
});
afterAll(() => rig.remove());

async function lamella(...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), ...words, "--data-dir", rig.dataDir]).catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}

// No control character but the ends of lines, and nothing that makes a reader see another text.
const commanding = /(?![\n])[\p{Cc}\p{Cf}\u2028\u2029]/u;

test.each<[string[], string[]]>([
  [["executions"], ["name", "device"]],
  [["report", a], ["name", "model", "device", "request", "reason", "step", "category", "Net", "layers.0", "matmul", "kernel", "op", "fused", "grid", "block", "dims", "what", "disables", "remedy", "note"]],
  [["report", a, "--module", odd("layers.0")], ["layers.0", "Layer", "matmul", "kernel", "op", "fused", "grid", "block", "dims"]],
  [["report", a, "--module", odd("nothing")], ["nothing", "only1"]],
  [["report", a, b], ["request", "Net", "layers.0"]],
  [["compare", a, b], ["name", "model", "device", "category", "layers.0", "Odd", "only1", "only2"]],
  [["workload", "list"], ["run", "served", "strategy"]],
  [["workload", "show", workload], ["run", "label", "tool", "version", "engine", "served", "strategy", "note"]],
  [["metrics", "list"], ["metric", "engine", "host", "served"]],
  [["metrics", "show", odd("metric")], ["metric", "engine"]],
  [["metrics", "show", odd("nothing")], ["nothing"]],
])("%j", async (words, told) => {
  const text = await lamella(...words);
  expect(commanding.exec(text)).toBeNull();
  for (const word of told) expect(text).toContain(shown(word));
});

test("requests, as a table and as CSV, whose lines end as RFC 4180 says", async () => {
  const [table, csv] = [await lamella("workload", "requests", workload), await lamella("workload", "requests", workload, "--csv")];
  expect(table).toContain("failed: ");
  for (const text of [table, csv.replaceAll("\r\n", "\n")]) expect(commanding.exec(text)).toBeNull();
});

test("Markdown: every name stands in a code span", async () => {
  const text = await lamella("compare", a, b, "--markdown");
  expect(commanding.exec(text)).toBeNull();
  const outside = text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/gs, "");
  for (const markup of ["<script>", "**b**", "[x]", "@me"]) {
    expect(text).toContain(markup);
    expect(outside).not.toContain(markup);
  }
});

test("files whose names and contents do the same are told of as text", async () => {
  const file = (name: string, text: string) => {
    const path = join(rig.dataDir, name);
    writeFileSync(path, text);
    return path;
  };
  const run = file("run\u001b[2J\u202e.json", JSON.stringify({ backend: odd("backend"), model_id: odd("served"), label: odd("label"), date: odd("date"), num_prompts: 2, completed: 1, ttfts: [0.1, 0], latencies: [0.3, 0], output_lens: [2, 0], input_lens: [1, 1], errors: ["", odd("error")], tokenizer_id: "t" }));
  const dump = file("dump\u001b[2J.txt", '# TYPE a gauge\na{x="\u001b[2J",model_name="\u202e"} 1\n{"odd\u001b[2Jname"} 2\nbroken\u001b[2J line\n');
  for (const words of [["import", run], ["import", "--no-upload", run], ["metrics", "import", dump], ["report", `${run}x`]]) {
    const text = await lamella(...words);
    expect(commanding.exec(text), text).toBeNull();
    expect(text).toContain("\\u{1b}[2J");
  }
});
