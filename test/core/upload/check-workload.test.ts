// The rules of a workload's upload, one a line: a valid part, one change, and what is said about it (null: still accepted).
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WorkloadUploadSchema } from "#schema/gen/lamella/v1/workload_pb.ts";
import { limits } from "#schema/limits.ts";
import { checkWorkload } from "#core/upload/check-workload.ts";
import type { UploadProblem } from "#core/upload/upload-problem.ts";

const long = (bytes: number) => "x".repeat(bytes);
const wrong = (detail: string): UploadProblem => ({ code: "body_undecodable", detail });
const over = (what: string, found: number, limit: keyof typeof limits): UploadProblem => ({ code: "limit_exceeded", detail: `${what}: ${found} is over the bound of ${limits[limit]} (${limit})` });
const outside = (what: string, at: number, bounds: string): UploadProblem => ({ code: "limit_exceeded", detail: `${what} is Unix second ${at}, outside what is accepted (${bounds}); check the clock` });

type Init = MessageInitShape<typeof WorkloadUploadSchema>;
const valid = { workloadId: "ef".repeat(32), name: "random 512/128", engine: "vllm", startUs: [0n, 5n], ttftUs: [1n, 2n], latencyUs: [3n, 4n], inputTokens: [512, 512], outputTokens: [128, 128], failed: [false, true] };
const check = (init: Partial<Init>) => checkWorkload(create(WorkloadUploadSchema, { ...valid, ...init } as Init));
const requests = (n: number): Partial<Init> => ({ startUs: new Array<bigint>(n).fill(0n), ttftUs: new Array<bigint>(n).fill(0n), latencyUs: new Array<bigint>(n).fill(0n), inputTokens: new Array<number>(n).fill(1), outputTokens: new Array<number>(n).fill(1), failed: new Array<boolean>(n).fill(false) });
const spikes = (...requestsOfSpikes: number[]): Partial<Init> => ({ spikeRequest: requestsOfSpikes, spikeAtUs: requestsOfSpikes.map(() => 9n), spikeGapUs: requestsOfSpikes.map(() => 5n) });
const figures = (n: number) => Array.from({ length: n }, (_, i) => ({ name: `f${i}`, value: i })) as never;

test.each<[string, Partial<Init>, UploadProblem | null]>([
  ["as it is", {}, null],
  ["no request at all", requests(0), null],
  ["an id of 64 hex digits", { workloadId: "" }, wrong("workload_id is not 64 hex digits")],
  ["as many requests as the bound", requests(limits.samplesPerUploadMax), null],
  ["one more", requests(limits.samplesPerUploadMax + 1), over("requests", limits.samplesPerUploadMax + 1, "samplesPerUploadMax")],
  ["ttft_us for each", { ttftUs: [1n] }, wrong("ttft_us has 1 rows where start_us has 2")],
  ["latency_us for each", { latencyUs: [] }, wrong("latency_us has 0 rows where start_us has 2")],
  ["input_tokens for each", { inputTokens: [1, 2, 3] }, wrong("input_tokens has 3 rows where start_us has 2")],
  ["output_tokens for each", { outputTokens: [1] }, wrong("output_tokens has 1 rows where start_us has 2")],
  ["failed for each", { failed: [] }, wrong("failed has 0 rows where start_us has 2")],
  ["known for each or none", { known: [31] }, wrong("known has 1 rows where start_us has 2; it may also be empty")],
  ["bits that exist", { known: [31, 256] }, wrong("known row 1 is 256; its bits add up to 255")],
  ["queue_us for each or none", { queueUs: [1n, 2n, 3n] }, wrong("queue_us has 3 rows where start_us has 2; it may also be empty")],
  ["quantiles for each or none", { itlCount: [1, 2], itlP99Us: [1n] }, wrong("itl_p99_us has 1 rows where start_us has 2; it may also be empty")],
  ["quantiles of gaps that are counted", { itlMaxUs: [1n, 2n] }, wrong("itl_max_us is there without itl_count")],
  ["115 days", { latencyUs: [3n, BigInt(limits.requestMicrosecondsMax)] }, null],
  ["no more", { prefillUs: [0n, BigInt(limits.requestMicrosecondsMax) + 1n] }, over("prefill_us row 1", limits.requestMicrosecondsMax + 1, "requestMicrosecondsMax")],
  ["spikes of requests that exist", spikes(1, 2), wrong("spike_request row 1 points at 2 of 2 requests")],
  ["four spikes of one request", spikes(1, 1, 1, 1, 0), null],
  ["no fifth", spikes(1, 1, 0, 1, 1, 1), over("spikes of request 1", 5, "itlSpikesPerRequestMax")],
  ["a time of each spike", { ...spikes(0, 1), spikeAtUs: [1n] }, wrong("spike_request, spike_at_us and spike_gap_us have different lengths")],
  ["errors", { errors: ["", "refused"], error: [0, 1] }, null],
  ["errors[0] is empty", { errors: ["refused"], error: [0, 0] }, wrong('errors[0] must be ""; index 0 means "none given"')],
  ["errors that exist", { errors: ["", "refused"], error: [0, 2] }, wrong("error row 1 points at 2 of 2 errors")],
  ["100,001 texts of errors", { errors: ["", ...new Array<string>(limits.stringsPerUploadMax).fill("a")], error: [0, 1] }, over("errors", limits.stringsPerUploadMax + 1, "stringsPerUploadMax")],
  ["an error for each", { errors: ["", "refused"], error: [1] }, wrong("error has 1 rows where start_us has 2")],
  ["an error of 16,385 bytes", { errors: ["", long(16_385)], error: [0, 1] }, over("errors[1], bytes", 16_385, "nameBytesMax")],
  ["part 2 of 3", { part: 2, parts: 3, firstRequest: 20_000 }, null],
  ["part 4 of 3", { part: 4, parts: 3 }, wrong("part is 4 of 3; parts count from 1, and 0 of 0 is the whole workload")],
  ["part 0 of 3", { part: 0, parts: 3 }, wrong("part is 0 of 3; parts count from 1, and 0 of 0 is the whole workload")],
  ["1,001 parts", { part: 1, parts: 1_001 }, over("parts", 1_001, "workloadPartsMax")],
  ["a first part from request 0", { part: 1, parts: 3, firstRequest: 1 }, wrong("first_request is 1 in part 1; requests count from 0")],
  ["requests that can be", { part: 2, parts: 3, firstRequest: 20_000_000 }, wrong("first_request is 20000000: more than 20000000 requests")],
  ["a rate without limit", { load: [{ name: "requestsPerS", value: Infinity }] as never }, null],
  ["a load that is a number", { load: [{ name: "requestsPerS", value: Number.NaN }] as never }, wrong("load[0] is NaN; leave out what is no finite number")],
  ["figures that are finite", { stated: [{ name: "completed", value: 1 }, { name: "ttftUs.mean", value: Infinity }] as never }, wrong("stated[1] is Infinity; leave out what is no finite number")],
  ["only a rate without limit", { load: [{ name: "maxConcurrency", value: Infinity }] as never }, wrong("load[0] is Infinity; leave out what is no finite number")],
  ["and only a load's", { stated: [{ name: "requestsPerS", value: Infinity }] as never }, wrong("stated[0] is Infinity; leave out what is no finite number")],
  ["figures that can be", { computed: [{ name: "durationS", value: 1e30 }, { name: "durationS", value: -1e31 }] as never }, over("computed[1]", -1e31, "measuredValueMax")],
  ["counts of values that are whole", { stated: [{ name: "ttftUs.n", value: 1.5 }] as never }, wrong("stated[0] (ttftUs.n) is 1.5; it counts values")],
  ["128 KiB of notes and names", { notes: Array.from({ length: 16 }, () => long(8_192 - 1)), stated: [{ name: long(16), value: 1 }] as never }, null],
  ["a byte more", { notes: Array.from({ length: 16 }, () => long(8_192 - 1)), stated: [{ name: long(17), value: 1 }] as never }, over("notes and names of figures, bytes", 131_073, "workloadTextBytesMax")],
  ["aggregates that can be", { aggregates: [{ metric: "queue_seconds", value: 1e31, observations: 1 }] as never }, over("aggregates[0].value", 1e31, "measuredValueMax")],
  ["1,001 figures", { computed: figures(1_001) }, over("computed", 1_001, "workloadFiguresMax")],
  ["a figure's name of 257 bytes", { stated: [{ name: long(257), value: 1 }] as never }, over("stated[0].name, bytes", 257, "labelBytesMax")],
  ["aggregates that are finite", { aggregates: [{ metric: "queue_seconds", value: 1, observations: Number.NaN }] as never }, wrong("aggregates[0].observations is NaN; leave out what is no finite number")],
  ["1,001 notes", { notes: new Array<string>(1_001).fill("") }, over("notes", 1_001, "workloadNotesMax")],
  ["a note of 16,385 bytes", { notes: ["short", long(16_385)] }, over("notes[1], bytes", 16_385, "nameBytesMax")],
  ["a start that 32 bits hold", { startedAtS: 2n ** 32n }, outside("started_at_s", 2 ** 32, "0 to 4294967295")],
  ["a start after 1970", { startedAtS: -1n }, outside("started_at_s", -1, "0 to 4294967295")],
  ["an engine of 257 bytes", { engine: long(257) }, over("engine, bytes", 257, "labelBytesMax")],
  ["a tool of 257 bytes", { tool: long(257) }, over("tool, bytes", 257, "labelBytesMax")],
  ["a name of 257 bytes", { name: long(257) }, over("name, bytes", 257, "labelBytesMax")],
])("%s", (_name, change, expected) => expect(check(change)).toEqual(expected));
