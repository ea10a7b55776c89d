// The rules of the small upload kinds, one a line: a valid upload, one change, and what is said about it (null: still accepted).
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { limits } from "#schema/limits.ts";
import { checkExecution, checkMetrics, checkSightings } from "#core/upload/check-messages.ts";
import type { UploadProblem } from "#core/upload/upload-problem.ts";

const nowS = 1_764_426_720;
const dayS = 86_400;
const long = (bytes: number) => "x".repeat(bytes);
const wrong = (detail: string): UploadProblem => ({ code: "body_undecodable", detail });
const over = (what: string, found: number, limit: keyof typeof limits): UploadProblem => ({ code: "limit_exceeded", detail: `${what}: ${found} is over the bound of ${limits[limit]} (${limit})` });
const outside = (what: string, at: number, bounds: string): UploadProblem => ({ code: "limit_exceeded", detail: `${what} is Unix second ${at}, outside what is accepted (${bounds}); check the clock` });
const window = `${nowS - 7 * dayS} to ${nowS + 600}`;

type Line<Init> = [string, Partial<Init>, UploadProblem | null];

describe("sightings", () => {
  type Init = MessageInitShape<typeof SightingsUploadSchema>;
  type Sighting = NonNullable<Init["sightings"]>[number];
  const one = { modelKey: "ab".repeat(16), servedName: "qwen3-prod", tpRank: 3, tpSize: 4, ppRank: 0, ppSize: 1, firstSeenS: BigInt(nowS - 90 * dayS), lastSeenS: BigInt(nowS - 60), hostName: "node-7", userTags: ["env:prod"] };
  const check = (init: Partial<Init>) =>
    checkSightings(fromBinary(SightingsUploadSchema, toBinary(SightingsUploadSchema, create(SightingsUploadSchema, { source: 1, sightings: [one as Sighting], ...init } as Init))), nowS);
  const second = (change: object): Partial<Init> => ({ sightings: [one as Sighting, { ...one, ...change } as Sighting] });

  test.each<Line<Init>>([
    ["as they are", {}, null],
    ["a source that exists", { source: 0 }, wrong("source is 0; 1 live, 2 import and 3 walk exist")],
    ["at least one", { sightings: [] }, wrong("the upload has no sightings")],
    ["1,000", { sightings: Array.from({ length: 1_000 }, () => one as Sighting) }, null],
    ["1,001", { sightings: Array.from({ length: 1_001 }, () => one as Sighting) }, over("sightings", 1_001, "sightingsPerUploadMax")],
    ["a model key of hex digits", second({ modelKey: "AB".repeat(16) }), wrong("sightings[1].model_key is not 32 hex digits")],
    ["a part hash of hex digits", second({ partHash: "ab" }), wrong("sightings[1].part_hash is not 64 hex digits, nor empty")],
    ["a model key", second({ modelKey: "" }), wrong("sightings[1].model_key is not 32 hex digits")],
    ["first before last", second({ firstSeenS: BigInt(nowS), lastSeenS: BigInt(nowS - 1) }), wrong(`sightings[1] was last seen (${nowS - 1}) before it was first seen (${nowS})`)],
    ["first after 1970", second({ firstSeenS: -1n }), wrong("sightings[1].first_seen_s is -1, before 1970")],
    ["last seen just now", second({ lastSeenS: BigInt(nowS + 600) }), null],
    ["last seen in the future", second({ lastSeenS: BigInt(nowS + 601) }), outside("sightings[1].last_seen_s", nowS + 601, window)],
    ["last seen a week ago", second({ lastSeenS: BigInt(nowS - 7 * dayS) }), null],
    ["last seen before that", second({ lastSeenS: BigInt(nowS - 7 * dayS - 1) }), outside("sightings[1].last_seen_s", nowS - 7 * dayS - 1, window)],
    ["a size that 16 bits hold", second({ tpSize: 65_536 }), wrong("sightings[1].tp_size is 65536, over 65,535")],
    ["a rank below its size", second({ tpRank: 4 }), wrong("sightings[1].tp_rank is 4; ranks of 4 count from 0")],
    ["rank 0 of nothing split", second({ tpRank: 0, tpSize: 0 }), null],
    ["a stage below its size", second({ ppRank: 1, ppSize: 0 }), wrong("sightings[1].pp_rank is 1; ranks of 0 count from 0")],
    ["128 stages", second({ ppSize: 128 }), null],
    ["129 stages", second({ ppSize: 129 }), over("sightings[1].pp_size", 129, "pipelineStagesMax")],
    ["32 tags", second({ userTags: new Array<string>(32).fill("a:b") }), null],
    ["33 tags", second({ userTags: new Array<string>(33).fill("a:b") }), over("sightings[1].user_tags", 33, "userTagsMax")],
    ["a tag of 256 bytes", second({ userTags: ["a:b", long(256)] }), null],
    ["a tag of 257", second({ userTags: ["a:b", long(257)] }), over("sightings[1].user_tags[1], bytes", 257, "labelBytesMax")],
    ["a host of 257 bytes", second({ hostName: `${"é".repeat(128)}x` }), over("sightings[1].host_name, bytes", 257, "labelBytesMax")],
    ["a pod of 257 bytes", second({ k8sPod: long(257) }), over("sightings[1].k8s_pod, bytes", 257, "labelBytesMax")],
    ["a long model name", second({ nameOrPath: long(16_384) }), null],
    ["a longer one", second({ nameOrPath: long(16_385) }), over("sightings[1].name_or_path, bytes", 16_385, "nameBytesMax")],
    ["a version of 257 bytes", { agentVersion: long(257) }, over("agent_version, bytes", 257, "labelBytesMax")],
  ])("%s", (_name, change, expected) => expect(check(change)).toEqual(expected));
});

describe("executions", () => {
  type Init = MessageInitShape<typeof ExecutionUploadSchema>;
  const valid = {
    executionId: "cd".repeat(32), name: "qwen3.trace.json.gz", device: "NVIDIA H100 80GB HBM3", profileType: 1, pathSource: 1, modelKey: "ab".repeat(16), importedAtS: BigInt(nowS),
    durationNs: 5n, parts: 3, gaps: [{ reason: "launched before capture", kernels: 2n, value: 9n }], notes: ["2 events without a duration were skipped"],
  };
  const check = (init: Partial<Init>) => checkExecution(create(ExecutionUploadSchema, { ...valid, ...init } as Init), nowS);

  test.each<Line<Init>>([
    ["as it is", {}, null],
    ["an id of 64 hex digits", { executionId: "cd".repeat(31) }, wrong("execution_id is not 64 hex digits")],
    ["no model key", { modelKey: "" }, null],
    ["a model key of 31 digits", { modelKey: "a".repeat(31) }, wrong("model_key is not 32 hex digits, nor empty")],
    ["a profile type", { profileType: 0 }, wrong("profile_type is 0; 1…7 exist")],
    ["a profile type that exists", { profileType: 8 as never }, wrong("profile_type is 8; 1…7 exist")],
    ["a path source that exists", { pathSource: 4 as never }, wrong("path_source is 4; 0…3 exist")],
    ["no paths", { pathSource: 0 }, null],
    ["parts", { parts: 0 }, wrong("parts is 0: an execution has at least one part of samples")],
    ["1,000 parts", { parts: 1_000 }, null],
    ["1,001 parts", { parts: 1_001 }, over("parts", 1_001, "partsPerExecutionMax")],
    ["a digest of 1 MiB", { digest: new Uint8Array(1024 * 1024) }, null],
    ["a larger digest", { digest: new Uint8Array(1024 * 1024 + 1) }, over("digest, bytes", 1_048_577, "executionDigestBytesMax")],
    ["time that passes", { durationNs: -1n }, wrong("duration_ns is negative")],
    ["values of 2^53 - 1", { totalValue: 2n ** 53n - 1n, moduleValue: 2n ** 53n - 1n, kernels: 2n ** 53n - 1n, events: 2n ** 53n - 1n }, null],
    ["a value that JSON would round", { totalValue: 2n ** 53n }, wrong("total_value is 9007199254740992; beyond 2^53 an answer would round it")],
    ["a count beyond it", { events: 2n ** 64n - 1n }, wrong("events is 18446744073709551615; beyond 2^53 an answer would round it")],
    ["a duration beyond it", { durationNs: 2n ** 63n - 1n }, wrong("duration_ns is 9223372036854775807; beyond 2^53 an answer would round it")],
    ["a gap beyond it", { gaps: [{ reason: "x", kernels: 1n, value: 2n ** 63n }] as never }, wrong("gaps[0].value is 9223372036854775808; beyond 2^53 an answer would round it")],
    ["a part that is no more than the whole", { totalValue: 4n, moduleValue: 5n }, wrong("module_value is 5, more than the total_value of 4 that it is a part of")],
    ["1,000 empty notes", { notes: new Array<string>(1_000).fill("") }, null],
    ["1,001", { notes: new Array<string>(1_001).fill("") }, over("notes", 1_001, "executionNotesMax")],
    ["1,001 gaps", { gaps: Array.from({ length: 1_001 }, () => ({ reason: "" })) as never }, over("gaps", 1_001, "executionNotesMax")],
    ["64 KiB of notes", { name: "", device: "", gaps: [], notes: Array.from({ length: 16 }, () => long(4_096)) }, null],
    ["a byte more, in a gap", { name: "", device: "", gaps: [{ reason: "x" }] as never, notes: Array.from({ length: 16 }, () => long(4_096)) }, over("name, device, model_name, gaps and notes, bytes", 65_537, "executionTextBytesMax")],
    ["imported a week ago", { importedAtS: BigInt(nowS - 7 * dayS) }, null],
    ["imported before that", { importedAtS: BigInt(nowS - 7 * dayS - 1) }, outside("imported_at_s", nowS - 7 * dayS - 1, `7 days around ${nowS}`)],
    ["imported in a week", { importedAtS: BigInt(nowS + 7 * dayS + 1) }, outside("imported_at_s", nowS + 7 * dayS + 1, `7 days around ${nowS}`)],
    ["a name of 16,385 bytes", { name: long(16_385) }, over("name, bytes", 16_385, "nameBytesMax")],
    ["a device of 16,385 bytes", { device: long(16_385) }, over("device, bytes", 16_385, "nameBytesMax")],
    ["a model name of 16,385 bytes", { modelName: long(16_385) }, over("model_name, bytes", 16_385, "nameBytesMax")],
    ["a reason of 16,385 bytes", { gaps: [{ reason: long(16_385) }] as never }, over("gaps[0].reason, bytes", 16_385, "nameBytesMax")],
    ["a note of 16,385 bytes", { notes: ["short", long(16_385)] }, over("notes[1], bytes", 16_385, "nameBytesMax")],
    ["a version of 257 bytes", { agentVersion: long(257) }, over("agent_version, bytes", 257, "labelBytesMax")],
  ])("%s", (_name, change, expected) => expect(check(change)).toEqual(expected));
});

describe("metrics", () => {
  type Init = MessageInitShape<typeof MetricsUploadSchema>;
  const valid = {
    baseTimeS: BigInt(nowS), strings: ["", "kv_cache_usage_ratio", "vllm"], seriesMetric: [1], seriesEngine: [2], seriesHostName: [0], seriesModelName: [0], seriesLabels: [0],
    pointSeries: [0, 0], pointTimeS: [-10n, 0n], pointValue: [0.5, 0.75],
  };
  const check = (init: Partial<Init>) => checkMetrics(create(MetricsUploadSchema, { ...valid, ...init } as Init), nowS);
  const points = (n: number): Partial<Init> => ({ pointSeries: new Array<number>(n).fill(0), pointTimeS: new Array<bigint>(n).fill(0n), pointValue: new Array<number>(n).fill(1) });

  test.each<Line<Init>>([
    ["as they are", {}, null],
    ["strings[0] is empty", { strings: ["x"] }, wrong('strings[0] must be ""; index 0 means "not set"')],
    ["strings[0] exists", { strings: [] }, wrong('strings[0] must be ""; index 0 means "not set"')],
    ["a row of each column for a series", { seriesLabels: [] }, wrong("series_labels has 0 rows where series_metric has 1")],
    ["indices in range", { seriesEngine: [3] }, wrong("series_engine row 0 points at 3 of 3 strings")],
    ["a metric", { seriesMetric: [0] }, wrong("series_metric row 0 has no metric")],
    ["labels as pairs", { strings: ["", "kv_cache_usage_ratio", "vllm", "engine=0,path=/a%2Cb%3D1"], seriesLabels: [3] }, null],
    ["no bare word for a label", { strings: ["", "kv_cache_usage_ratio", "vllm", "engine=0,spare"], seriesLabels: [3] }, wrong('strings[3], labels of a series, is "engine=0,spare", not "k=v,k=v" with % , = in keys and values written %25 %2C %3D')],
    ["no bare = in a value", { strings: ["", "kv_cache_usage_ratio", "vllm", "a=b=c"], seriesLabels: [3] }, wrong('strings[3], labels of a series, is "a=b=c", not "k=v,k=v" with % , = in keys and values written %25 %2C %3D')],
    ["no NaN", { pointValue: [0.5, Number.NaN] }, wrong("point_value row 1 is NaN; leave out what is no finite number")],
    ["no infinity", { pointValue: [-Infinity, 1] }, wrong("point_value row 0 is -Infinity; leave out what is no finite number")],
    ["the largest values, of either sign", { pointValue: [1e30, -1e30] }, null],
    ["none whose sum could be infinite", { pointValue: [0, 1.7e308] }, over("point_value row 1", 1.7e308, "measuredValueMax")],
    ["as many points as the bound", points(limits.samplesPerUploadMax), null],
    ["one more", points(limits.samplesPerUploadMax + 1), over("points", limits.samplesPerUploadMax + 1, "samplesPerUploadMax")],
    ["100,001 texts", { strings: ["", ...new Array<string>(limits.stringsPerUploadMax).fill("a")] }, over("strings", limits.stringsPerUploadMax + 1, "stringsPerUploadMax")],
    ["50,001 series", { seriesMetric: new Array<number>(50_001).fill(1) }, over("series", 50_001, "samplesPerUploadMax")],
    ["a time for each", { pointTimeS: [0n] }, wrong("point_series, point_time_s and point_value have different lengths")],
    ["a value for each", { pointValue: [] }, wrong("point_series, point_time_s and point_value have different lengths")],
    ["a series that exists", { pointSeries: [0, 1] }, wrong("point_series row 1 points at 1 of 1 series")],
    ["not from the future", { pointTimeS: [0n, 601n] }, outside("point row 1", nowS + 601, window)],
    ["not from long ago", { pointTimeS: [0n, BigInt(-7 * dayS - 1)] }, outside("point row 1", nowS - 7 * dayS - 1, window)],
    ["a text of 16,385 bytes", { strings: ["", "a", long(16_385)] }, over("strings[2], bytes", 16_385, "nameBytesMax")],
    ["a version of 257 bytes", { agentVersion: long(257) }, over("agent_version, bytes", 257, "labelBytesMax")],
  ])("%s", (_name, change, expected) => expect(check(change)).toEqual(expected));
});
