// Uploads → rows. Columns are read back from the blocks as plain values, so a test reads like a table.
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeNative, type NativeBlock } from "#clickhouse/native.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { contentIds } from "#core/upload/content-id.ts";
import { decodeSamples, type SamplesColumns } from "#core/upload/decode-samples.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { baseTimeS, encodeUpload, labelColumns, randomUpload, smallUpload, type Upload } from "#test/rig/samples-uploads.ts";
import { executionRow, metricRows } from "#workers/ingest/rows-executions.ts";
import { sightingRows } from "#workers/ingest/rows-models.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";

const scope = tenantScope("a".repeat(16), 90);

function decode(upload: Upload): SamplesColumns {
  const result = decodeSamples(encodeUpload(upload));
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

type Values = Record<string, unknown[]>;
function valuesOf({ columns, rows }: NativeBlock): Values {
  return Object.fromEntries(columns.map((column) => {
    const words = ({ dictionary, index, rows: seen }: { dictionary: readonly string[]; index: ArrayLike<number>; rows?: ArrayLike<number> }) =>
      Array.from(seen ?? Array.from(index, (_, i) => i), (row) => dictionary[index[row]!]!);
    if ("numbers" in column) return [column.name, Array.from(column.numbers as ArrayLike<number | bigint>)];
    if ("strings" in column) return [column.name, words(column.strings)];
    const flat: unknown[] = "dictionary" in column.flat ? words(column.flat) : [...column.flat];
    return [column.name, Array.from({ length: rows }, (_, row) => flat.slice(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!))];
  }));
}

const rowsOf = (upload: Upload, receivedAtS = baseTimeS) => {
  const { frames, stacks, samples, valueTotal } = sampleRows(scope, decode(upload), receivedAtS);
  return { frames: valuesOf(frames()), stacks: valuesOf(stacks()), samples: valuesOf(samples()), valueTotal };
};

describe("samples", () => {
  test("the small upload, table by table", () => {
    const upload = smallUpload();
    const ids = contentIds(decode(upload));
    const { frames, stacks, samples, valueTotal } = rowsOf(upload, baseTimeS);
    expect(frames).toMatchObject({
      tenant_id: [scope.tenantId, scope.tenantId], frame_id: [ids.frames[1], ids.frames[2]], kind: [6, 5], name: ["Qwen3Attention self_attn", "flash_fwd_kernel"], mapping: ["", "libflash.so"],
      line: [312, 0], module_path: ["model.layers.0.self_attn", ""], module_class: ["Qwen3Attention", ""], last_seen: [20_421, 20_421],
    });
    expect(stacks).toMatchObject({ stack_id: [ids.stacks[1], ids.stacks[2]], frames: [[ids.frames[1], ids.frames[2]], [ids.frames[1]]] });
    expect(samples).toMatchObject({
      profile_type: ["cuda", "cuda", "cuda"], execution_id: ["", "", ""], retention_days: [90, 90, 90], ts: [baseTimeS, baseTimeS - 30, baseTimeS + 12], host_name: ["node-7", "node-7", "node-7"],
      thread_name: ["", "", ""], user_tags: [["a:b", "env:prod"], ["a:b", "env:prod"], ["a:b", "env:prod"]], stack_id: [ids.stacks[1], ids.stacks[1], ids.stacks[2]], step: [0, 0, 0], source: [1, 1, 1],
      value: [18_432n, 600n, 2n ** 48n], count: [3, 1, 0],
    });
    expect(valueTotal).toBe(18_432n + 600n + 2n ** 48n);
  });

  test("buckets are the hour of each sample, across an hour's end and with a negative distance", () => {
    const upload = smallUpload();
    const hourS = 1_764_428_400; // 15:00:00
    upload.baseTimeS = BigInt(hourS);
    upload.samples.timeS = [-1n, 0n, 3_600n];
    expect(rowsOf(upload).samples).toMatchObject({ ts: [hourS - 1, hourS, hourS + 3_600], bucket: [hourS - 3_600, hourS, hourS + 3_600] });
  });

  test("user tags are sorted and unique, however they were sent, and belong to their own context", () => {
    const upload = smallUpload();
    upload.strings.push("env:prod", "Z:1", "é:1");
    const [prod, ab, prodAgain, z, e] = [8, 9, 10, 11, 12];
    Object.assign(upload.contexts, { profileType: [0, 1, 1, 1], hostName: [], tagCount: [0, 5, 0, 1], tag: [prodAgain, e, ab, prod, z, ab] });
    upload.samples.context = [3, 1, 2];
    const columns = decode(upload);
    expect(valuesOf(sampleRows(scope, columns, baseTimeS).samples()).user_tags).toEqual([["a:b"], ["Z:1", "a:b", "env:prod", "é:1"], []]);
    expect(columns).toEqual(decode(upload)); // and the upload is as it was
  });

  test("row 0 of a dictionary is never stored, and an upload without samples has no rows", () => {
    const upload = smallUpload();
    upload.samples = { stack: [], context: [], timeS: [], value: [], count: [], step: [] };
    const rows = sampleRows(scope, decode(upload), baseTimeS);
    expect([rows.frames().rows, rows.stacks().rows, rows.samples().rows]).toEqual([2, 2, 0]);
    upload.frames = { kind: [], name: [], file: [], line: [], mapping: [], modulePath: [], moduleClass: [], modelKey: [] };
    upload.stacks = { depth: [], frame: [] };
    const none = sampleRows(scope, decode(upload), baseTimeS);
    expect([none.frames().rows, none.stacks().rows, none.samples().rows, none.valueTotal]).toEqual([0, 0, 0, 0n]);
  });

  // Everything computed once more, from the upload as it was drawn.
  test("random uploads: every sample keeps its value, its labels and its stack's names", () => {
    fc.assert(fc.property(randomUpload, (upload) => {
      const { frames, stacks, samples } = rowsOf(upload);
      const nameOf = new Map(frames.frame_id!.map((id, i) => [id, `${frames.kind![i]} ${frames.name![i]} ${frames.module_path![i]}`]));
      const stackOf = new Map(stacks.stack_id!.map((id, i) => [id, (stacks.frames![i] as bigint[]).map((frame) => nameOf.get(frame)).join(" > ")]));
      const starts = upload.stacks.depth.map((_, row) => upload.stacks.depth.slice(0, row).reduce((sum, depth) => sum + depth, 0));
      upload.samples.stack.forEach((stack, row) => {
        const context = upload.samples.context[row]!;
        const frame = (number: number) => `${upload.frames.kind[number]} ${upload.strings[upload.frames.name[number]!]} ${upload.strings[upload.frames.modulePath[number] ?? 0]}`;
        expect(stackOf.get(samples.stack_id![row])).toBe(upload.stacks.frame.slice(starts[stack]!, starts[stack]! + upload.stacks.depth[stack]!).map(frame).join(" > "));
        expect(samples.value![row]).toBe(upload.samples.value[row] ?? 0n);
        for (const column of labelColumns) {
          const name = column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
          expect(samples[name]![row]).toBe(upload.strings[upload.contexts[column][context] ?? 0]);
        }
      });
    }), { numRuns: 100 });
  });

  test("the same upload gives the same bytes, block by block", () => {
    fc.assert(fc.property(randomUpload, (upload) => {
      const encode = () => {
        const { frames, stacks, samples } = sampleRows(scope, decode(upload), baseTimeS);
        return [frames(), stacks(), samples()].map((block) => Buffer.from(encodeNative(block)).toString("base64"));
      };
      expect(encode()).toEqual(encode());
    }), { numRuns: 30 });
  });
});

test("sightings: sizes are at least 1, the day is that of last_seen, tags are sorted and unique", () => {
  const midnightS = 1_764_460_800n;
  const rows = valuesOf(sightingRows(scope, create(SightingsUploadSchema, {
    source: 3, sightings: [
      { modelKey: "ab".repeat(16), firstSeenS: midnightS - 60n, lastSeenS: midnightS - 1n, processKey: 2n ** 64n - 1n, userTags: ["b:2", "a:1", "b:2"] },
      { modelKey: "cd".repeat(16), tpRank: 3, tpSize: 4, ppRank: 1, ppSize: 2, firstSeenS: midnightS - 60n, lastSeenS: midnightS, servedName: "qwen3-prod" },
    ],
  })));
  expect(rows).toMatchObject({
    model_key: ["ab".repeat(16), "cd".repeat(16)], day: [20_421, 20_422], source: [3, 3], tp_size: [1, 4], tp_rank: [0, 3], pp_size: [1, 2], pp_rank: [0, 1], process_key: [2n ** 64n - 1n, 0n],
    user_tags: [["a:1", "b:2"], []], served_name: ["", "qwen3-prod"], first_seen: [Number(midnightS) - 60, Number(midnightS) - 60], last_seen: [Number(midnightS) - 1, Number(midnightS)],
  });
});

test("executions: gaps side by side, times in their columns' units", () => {
  const rows = valuesOf(executionRow(scope, create(ExecutionUploadSchema, {
    executionId: "ab".repeat(32), profileType: 5, pathSource: 2, importedAtS: 1_764_426_720n, gaps: [{ reason: "graph replay", kernels: 7n, value: 9n }, { reason: "other", value: 1n }], notes: [],
  }), "cd".repeat(32), 1_764_426_720_123));
  expect(rows).toMatchObject({
    profile_type: ["cpu_op"], path_source: [2], imported_at: [1_764_426_720], stored_at: [1_764_426_720_123n], gap_reasons: [["graph replay", "other"]], gap_kernels: [[7n, 0n]], gap_values: [[9n, 1n]],
    notes: [[]], retention_days: [90],
  });
});

test("metrics: a row a point", () => {
  const metrics = valuesOf(metricRows(scope, create(MetricsUploadSchema, {
    baseTimeS: 1_000n, strings: ["", "kv_cache", "queue", "vllm"], seriesMetric: [1, 2], seriesEngine: [3, 3], seriesHostName: [0, 0], seriesModelName: [0, 0], seriesLabels: [0, 0],
    pointSeries: [1, 0], pointTimeS: [-5n, 5n], pointValue: [0.5, 2],
  })));
  expect(metrics).toMatchObject({ metric: ["queue", "kv_cache"], engine: ["vllm", "vllm"], ts: [995, 1_005], value: [0.5, 2] });
});
