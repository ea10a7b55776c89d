// Two selections compared per token: traces whose marks say their steps' tokens, live samples beside what an engine counted, and what is refused.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openApi } from "#cli/api.ts";
import { importFile } from "#cli/import.ts";
import { encodeMetrics } from "#core/upload/encode-metrics.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";
import { root } from "#local/worker.ts";
import { annotation, kernel, launch } from "#test/core/trace/trace-text.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { nowS, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const lamella = async (tenant: Client, ...args: string[]): Promise<string> => {
  const env = { ...process.env, LAMELLA_URL: `${rig.stack.url}/t/${tenant.slug}`, LAMELLA_TOKEN: tenant.token };
  return (await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), ...args], { env })).stdout;
};

describe("executions", () => {
  // A kernel in every step, of so many µs.
  const imported = async (tenant: Client, name: string, ...steps: [mark: string, us: number][]): Promise<string> => {
    const traceEvents = steps.flatMap(([mark, us], i) => {
      const at = 1_000 * i;
      return [annotation(mark, [at, at + 900]), launch(i + 1, [at + 10, at + 12]), kernel(i + 1, [at + 20, at + 20 + us])];
    });
    const file = join(rig.dataDir, name);
    writeFileSync(file, JSON.stringify({ traceEvents }));
    const api = openApi({ url: rig.stack.url, tenant: tenant.slug, token: tenant.token });
    return (await importFile(api, file, { agentVersion: "flow test 1", progress: () => undefined })).executionId;
  };

  test("steps with tokens, of marks of vLLM; those of a mark without are left out, and said", async () => {
    const tenant = await rig.tenant("steps-with-tokens");
    const a = await imported(tenant, "a.json", ["execute_context_1(100)_generation_0(0)", 10], ["execute_context_0(0)_generation_2(2)", 0.2], ["execute_context_0(0)_generation_3(3)", 0.3], ["step[MIXED bs=3 toks=9]", 1.5]);
    const b = await imported(tenant, "b.json", ["execute_context_1(100)_generation_0(0)", 15], ["execute_context_0(0)_generation_2(2)", 0.3]);
    const answer = await tenant.get("flamegraphCompare", { query: { execution: b, a_execution: a, basis: "token" } });
    // A: 10,000 + 200 + 300 ns for 105 tokens, and 1,500 of 12,000 ns in a step that does not say. B: 15,300 ns for 102.
    expect(answer).toMatchObject({
      unit: "ns", basis: "token", a: { value: 12_000, intervals: 3, tokens: 105 }, b: { value: 15_300, intervals: 2, tokens: 102 },
      overall: { a: { value: 12_000, count: 4 }, perBasis: { a: 100, b: 150 }, relative: 0.5, interval: [0.5, 0.5], clear: true },
      kernels: [{ name: "gemm", perBasis: { a: 100, b: 150 } }], notes: ["12.5 % of A lies outside steps whose marks say their tokens, and is left out"],
    });
    expect((await tenant.get("flamegraphCompare", { query: { execution: b, a_execution: a } })).b.tokens).toBeNull();
    const text = await lamella(tenant, "diff", "--execution", b, "--a-execution", a, "--basis", "token");
    expect(text).toMatch(/^GPU time, per token, of prompts and generated\nA .*, 3 intervals, 105 tokens\nB .*, 2 intervals, 102 tokens\n12\.5 % of A lies outside/);
    expect(text).toMatch(/\n {2}gemm +100 ns +150 ns +\+50\.0 % /);
  });

  test("without tokens it is refused, with the basis to use instead", async () => {
    const tenant = await rig.tenant("steps-without");
    const id = await imported(tenant, "c.json", ["ProfilerStep#1", 10], ["ProfilerStep#2", 10]);
    expect((await tenant.refused("parameter_invalid", "flamegraphCompare", { query: { execution: id, a_execution: id, basis: "token" } })).detail)
      .toBe(`\`basis=token\` of A: no step of execution ${id.slice(0, 12)} says how many tokens it had; the marks of vLLM and SGLang do. Use \`basis=time\` (per step) or \`basis=launch\`.`);
  });
});

describe("live ranges", () => {
  const minute = (back: number) => Math.floor(nowS() / 60) * 60 - 60 * back;
  const dump = (prompt: number, generation: number, engine = "vllm", model = "org/net") => `
# TYPE ${engine}:prompt_tokens_total counter
${engine}:prompt_tokens_total{model_name="${model}"} ${prompt}
# TYPE ${engine}:generation_tokens_total counter
${engine}:generation_tokens_total{model_name="${model}"} ${generation}
`;
  const count = (tenant: Client, hostName: string, ...scrapes: [atS: number, text: string][]) => countAs(tenant, hostName, "", ...scrapes);
  const countAs = async (tenant: Client, hostName: string, importId: string, ...scrapes: [atS: number, text: string][]): Promise<void> => {
    const readings = scrapes.map(([atS, text]) => ({ atS, samples: engineReadings(text).readings[0]!.samples }));
    for (const part of encodeMetrics(readings, { agentVersion: "flow test 1", hostName, importId, shiftS: 0 }).parts) await rig.send(tenant, ["metrics", part]);
  };
  const sample = async (tenant: Client, hostName: string, ...values: [atS: number, value: number][]): Promise<void> => {
    for (const [atS, value] of values) await tenant.upload("samples", samplesUpload(drawProfile(`org/net:layer\ngemm:gpu_kernel\n${value}/1`), { hostName, atS, jobTag: "nightly" }));
    await rig.settled();
  };
  const compare = (from: number, aFrom: number, query: Record<string, string> = {}) => ({ query: { from: String(from), to: String(from + 300), a_from: String(aFrom), a_to: String(aFrom + 300), basis: "token", ...query } });
  const why = async (tenant: Client, input: ReturnType<typeof compare>) => (await tenant.refused("parameter_invalid", "flamegraphCompare", input)).detail;

  test("samples by the tokens that the engine on their host counted, minute by minute", async () => {
    const tenant = await rig.tenant("live-tokens");
    const [a, b] = [minute(20), minute(10)];
    // Of each minute 60, 120 and 3 tokens, after a first dump that nobody knows the time of. Another host's tokens are none of these samples'.
    const scrapes = (at: number): [number, string][] => [[at + 5, dump(1_000, 500)], [at + 65, dump(1_040, 520)], [at + 125, dump(1_140, 540)], [at + 185, dump(1_140, 543)]];
    await count(tenant, "node-1", ...scrapes(a), ...scrapes(b).map(([at, text]): [number, string] => [at, text.replaceAll(/1(\d\d\d)\n/g, "2$1\n")]));
    await count(tenant, "node-2", ...scrapes(b));
    await sample(tenant, "node-1", [a + 30, 2_000], [a + 70, 12_000], [a + 130, 24_000], [a + 190, 600], [a + 250, 1_400]);
    await sample(tenant, "node-1", [b + 30, 1_000], [b + 70, 6_000], [b + 130, 12_000], [b + 190, 300], [b + 250, 700]);
    const answer = await tenant.get("flamegraphCompare", compare(b, a));
    // B: 6,000 + 12,000 + 300 ns for 60 + 120 + 3 tokens; 1,000 and 700 of 20,000 lie before the first minute with a dump is over, and after the last.
    expect(answer).toMatchObject({
      basis: "token", a: { value: 40_000, intervals: 3, tokens: 183 }, b: { value: 20_000, intervals: 3, tokens: 183 },
      overall: { perBasis: { a: 200, b: 100 }, relative: -0.5, interval: [-0.5, -0.5], clear: true }, kernels: [{ name: "gemm", perBasis: { a: 200, b: 100 } }],
    });
    expect(answer.notes).toEqual(["A", "B"].flatMap((side) => [`Tokens of ${side}: of prompts and generated, as vllm counted them on node-1 for org/net`, `8.5 % of ${side} lies at times of which it is not known how many tokens were counted, and is left out`]));
    expect((await tenant.get("flamegraphCompare", compare(b, a, { filter: 'host.name.startsWith("node") && model.name == "org/net" && kernel.name == "gemm"' }))).overall.perBasis).toEqual({ a: 200, b: 100 });
  });

  test("two dumps make one span, without an interval", async () => {
    const tenant = await rig.tenant("two-dumps");
    const [a, b] = [minute(20), minute(10)];
    await count(tenant, "node-1", [a + 5, dump(0, 0)], [a + 240, dump(30, 10)], [b + 5, dump(30, 10)], [b + 240, dump(100, 20)]);
    await sample(tenant, "node-1", [a + 70, 4_000], [a + 245, 4_000], [b + 100, 4_000], [b + 150, 4_000]);
    const answer = await tenant.get("flamegraphCompare", compare(b, a));
    expect(answer).toMatchObject({ a: { intervals: 1, tokens: 40 }, b: { intervals: 1, tokens: 80 }, overall: { perBasis: { a: 200, b: 100 }, relative: -0.5, interval: null } });
    expect(answer.notes).toHaveLength(2);
  });

  test("dumps that several imports have count once: of the import that covers most of the range, which is said", async () => {
    const tenant = await rig.tenant("two-imports");
    const b = minute(10);
    const scrapes = [0, 1, 2, 3].map((n): [number, string] => [b + 60 * n + 5, dump(100 * n, 20 * n)]);
    await countAs(tenant, "node-1", "early", ...scrapes.slice(0, 2));
    await countAs(tenant, "node-1", "late", ...scrapes.slice(2));
    await sample(tenant, "node-1", [b + 70, 12_000], [b + 130, 12_000], [b + 190, 12_000]);
    const tokensOf = async () => await tenant.get("flamegraphCompare", compare(b, minute(20)));
    expect((await tokensOf()).b).toMatchObject({ tokens: 120, intervals: 1 }); // either has the tokens of one minute
    await countAs(tenant, "node-1", "whole", ...scrapes);
    const answer = await tokensOf();
    expect(answer).toMatchObject({ b: { value: 36_000, tokens: 360, intervals: 3 }, overall: { perBasis: { b: 100 } } });
    expect(answer.notes).toEqual(expect.arrayContaining(["Tokens of B: of prompts and generated, as vllm counted them on node-1 for org/net", "node-1 has tokens of 3 imports or scrapes; import whole counts, which covers most of the range"]));
    // Hosts imported one by one: each has its own.
    await countAs(tenant, "node-2", "second", ...scrapes);
    await sample(tenant, "node-2", [b + 70, 36_000]);
    expect(await tokensOf()).toMatchObject({ b: { value: 72_000, tokens: 720, intervals: 3 }, overall: { perBasis: { b: 100 } } });
  });

  test("a counter that is there later than the other: nothing is divided by a part of the tokens", async () => {
    const tenant = await rig.tenant("late-counter");
    const b = minute(10);
    const prompts = (prompt: number) => dump(prompt, 0).replace(/.*generation.*\n/g, "");
    await count(tenant, "node-1", [b + 5, prompts(0)], [b + 65, dump(40, 1_000)], [b + 125, dump(80, 1_040)]);
    await sample(tenant, "node-1", [b + 70, 9_000], [b + 130, 12_000]);
    const { b: side, overall, notes } = await tenant.get("flamegraphCompare", compare(b, minute(20)));
    expect([side.tokens, side.intervals, overall.perBasis.b]).toEqual([80, 1, 150]); // the third minute: 40 + 40
    expect(notes).toContain("42.9 % of B lies at times of which it is not known how many tokens were counted, and is left out");
  });

  test("days in spans of hours, from the roll-ups of both", async () => {
    const tenant = await rig.tenant("days-of-tokens");
    const spanS = 4 * 3_600; // 8 days in at most 60 intervals of whole hours
    const from = (Math.floor(nowS() / spanS) - 3) * spanS;
    await count(tenant, "node-1", ...[0, 80, 100].map((tokens, n): [number, string] => [from + n * spanS + 60, dump(tokens, 0)]));
    await sample(tenant, "node-1", [from + 120, 7], [from + spanS + 120, 8_000], [from + 2 * spanS + 120, 2_000]);
    const { b, overall } = await tenant.get("flamegraphCompare", { query: { from: "-8d", basis: "token" } });
    expect([b.value, b.tokens, b.intervals, overall.perBasis]).toEqual([10_007, 100, 2, { a: null, b: 100 }]);
  });

  test("tokens that are not those of the samples are refused, each with what to do", async () => {
    const tenant = await rig.tenant("other-tokens");
    const [a, b] = [minute(20), minute(10)];
    const asked = compare(b, a);
    await sample(tenant, "node-1", [a + 70, 1], [b + 70, 1]);
    expect(await why(tenant, asked)).toBe("`basis=token` of A: the range has no metric `prompt_tokens` of node-1. Import what its engine counted: lamella metrics import before.txt after.txt --host node-1.");
    const both = (from: number, ...engines: string[]): [number, string][] => [0, 1, 2].map((n) => [from + 5 + 60 * n, engines.map((engine) => dump(100 * n, 10 * n, engine)).join("")]);
    await count(tenant, "node-1", ...both(a, "vllm"), ...both(b, "vllm", "sglang"));
    expect(await why(tenant, asked)).toBe("`basis=token` of B: sglang and vllm count tokens on node-1, perhaps the same ones; choose hosts of one engine by `host.name`.");
    expect(await why(tenant, compare(b, a, { filter: 'host.name == "node-1" && (job.tag == "nightly" || model.name.contains("net"))' }))).toContain("of A: engine metrics do not tell `job.tag`, `model.name` apart. With tokens a filter may have `host.name`, one `model.name == \"…\"`");
    expect(await why(tenant, compare(b, a, { filter: 'model.name == "org/net"', a_filter: 'gpu.name == "x"' }))).toContain("of A: engine metrics do not tell `gpu.name` apart");
    await sample(tenant, "node-3", [a + 70, 1]);
    expect(await why(tenant, asked)).toContain("of A: node-3 has samples in the range and no tokens. Import what its engine counted: lamella metrics import before.txt after.txt --host node-3; or choose hosts by `host.name`.");
    await sample(tenant, "", [a + 70, 1]);
    expect(await why(tenant, asked)).toContain("of A: some of its samples name no host");
  });

  test("one dump in a range says nothing over which time; a range without samples has none", async () => {
    const tenant = await rig.tenant("one-dump-only");
    const b = minute(10);
    await count(tenant, "node-1", [b + 65, dump(10, 5)]);
    await sample(tenant, "node-1", [b + 70, 1]);
    expect(await why(tenant, compare(b, minute(20)))).toContain("of B: it has tokens in no two intervals of 60 s in which each of the 2 series of `prompt_tokens` and `generation_tokens` has a point");
    await count(tenant, "node-1", [b + 125, dump(20, 5)], [b + 185, dump(30, 5)]);
    expect(await tenant.get("flamegraphCompare", compare(b, minute(20)))).toMatchObject({ a: { tokens: 0, intervals: 0 }, overall: { perBasis: { a: null } }, notes: expect.arrayContaining(["A has no samples of GPU time"]) });
  });
});
