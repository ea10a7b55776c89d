// Values for completion: of labels, collected by the store itself while samples arrive and counted in the samples over short ranges; of frames; of processes.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldValues, type ValuesWanted, type ValueTest } from "#clickhouse/field-values.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { type FieldName, fieldNames, fields, fieldsOfPage } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { type EngineRow, openEngine } from "#test/rig/engine.ts";
import { frame, type Frame, storedSample, subjectOf, tags, texts } from "#test/rig/sample-rows.ts";
import { encodeUpload, labelColumns, smallUpload } from "#test/rig/samples-uploads.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";

const engine = openEngine();
afterAll(() => engine.close());

const [hourS, dayS] = [3_600, 86_400];
const todayS = Math.floor(Date.now() / 1_000 / dayS) * dayS;
const [one, other] = [tenantScope("a".repeat(16), 30), tenantScope("b".repeat(16), 30)];

// Three samples in one context that has every label, named after its column.
async function store(scope: TenantScope, atS: number, suffix: string): Promise<void> {
  const upload = smallUpload();
  upload.baseTimeS = BigInt(atS);
  for (const column of labelColumns) upload.contexts[column] = [0, upload.strings.push(`${column}-${suffix}`) - 1];
  const decoded = decodeSamples(encodeUpload(upload));
  if (!decoded.ok) throw new Error(decoded.error.detail);
  const rows = sampleRows(scope, decoded.value, atS);
  await insertBlock(engine, "frames", rows.frames());
  await insertBlock(engine, "stacks", rows.stacks());
  await insertBlock(engine, "samples", rows.samples());
}

// Yesterday at 00:01:40; today at 00:01:40, 00:03:20 and 02:01:40.
beforeAll(async () => {
  await store(one, todayS - dayS + 100, "old");
  await store(one, todayS + 100, "new");
  await store(one, todayS + 200, "new");
  await store(one, todayS + 2 * hourS + 100, "late");
  await store(other, todayS + 100, "theirs");
});

const wanted = (change: Partial<ValuesWanted>): ValuesWanted => ({
  scope: one, field: "host.name", table: "samples", test: "startsWith", text: "", fromS: todayS, toS: todayS + hourS, nowS: todayS + dayS, bytesMax: 10_000, limit: 50, ...change,
});
const values = async (change: Partial<ValuesWanted>) => (await ask(engine, change.scope ?? one, fieldValues(wanted(change)))).map(({ value, count }) => `${value} ${count}`);
const week = { fromS: todayS - 6 * dayS, toS: todayS + dayS };

describe("labels of samples", () => {
  test("every field that a sample has of its own, by hours and by days", async () => {
    for (const field of fieldNames.filter((name) => fields[name].kind === "string")) {
      const [row, ...more] = await values({ field });
      expect([field, row, more]).toEqual([field, expect.stringMatching(/^\w+-new 6$/), []]);
      expect((await values({ field, ...week })).map((text) => text.replace(/^\w+-/, ""))).toEqual(["new 6", "late 3", "old 3"]);
    }
    expect(await values({})).toEqual(["hostName-new 6"]);
    expect(await values({ field: "user.tag" })).toEqual(["a:b 6", "env:prod 6"]);
    expect(await values({ field: "user.tag", ...week })).toEqual(["a:b 12", "env:prod 12"]);
  });

  test("short ranges in whole hours, long ones in whole days, and each says which", async () => {
    const counted = (change: Partial<ValuesWanted>) => { const { fromS, toS } = fieldValues(wanted(change)).counted; return [(fromS - todayS) / hourS, (toS - todayS) / hourS]; };
    const six = { fromS: todayS + 1_800, toS: todayS + 1_800 + limits.valueHoursMax * hourS };
    expect(counted(six)).toEqual([0, limits.valueHoursMax + 1]);
    expect(await values(six)).toEqual(["hostName-new 6", "hostName-late 3"]);
    expect(await values({ fromS: todayS + hourS, toS: todayS + 3 * hourS })).toEqual(["hostName-late 3"]);
    expect(await values({ fromS: todayS + hourS, toS: todayS + 2 * hourS })).toEqual([]);
    const longer = { ...six, toS: six.toS + 1 };
    expect(counted(longer)).toEqual([0, 24]);
    expect(await values(longer)).toEqual(["hostName-new 6", "hostName-late 3"]);
    expect(await values({ fromS: todayS - dayS, toS: todayS })).toEqual(["hostName-old 3"]); // midnight is not of the next day
    expect(await values({ fromS: todayS - 3 * dayS, toS: todayS - 2 * dayS })).toEqual([]);
    expect(await values({ ...week, limit: 1 })).toEqual(["hostName-new 6"]);
  });

  test("nothing older than the tenant's retention", async () => {
    const late = { ...week, nowS: todayS + 30 * dayS };
    expect(await values(late)).toEqual(["hostName-new 6", "hostName-late 3"]);
    expect(await values({ ...week, nowS: todayS + 32 * dayS })).toEqual([]);
    expect(await values({ field: "kernel.name", fromS: todayS, toS: todayS + 2 * hourS, nowS: todayS + 32 * dayS })).toEqual([]);
  });

  test("every character means itself, and case counts", async () => {
    for (const [test, text, found] of [
      ["startsWith", "env", 1], ["startsWith", "%", 0], ["startsWith", "e.v", 0], ["startsWith", "ENV", 0], ["startsWith", "prod", 0], ["startsWith", "' OR 1=1 --", 0], ["startsWith", "\0", 0],
      ["contains", "v:p", 1], ["contains", "%", 0], ["contains", "_", 0], ["endsWith", "prod", 1], ["endsWith", "env", 0], ["endsWith", "", 2], ["contains", "", 2],
    ] as const) {
      for (const range of [{}, week]) expect([test, text, (await values({ field: "user.tag", test, text, ...range })).length]).toEqual([test, text, found]);
    }
  });

  test("values that the filter has no room for are left out", async () => {
    expect(await values({ field: "user.tag", bytesMax: 7 })).toEqual(["a:b 6"]);
    expect(await values({ field: "user.tag", bytesMax: 7, ...week })).toEqual(["a:b 12"]);
    expect(await values({ field: "kernel.name", bytesMax: 15 })).toEqual([]);
  });

  test("merged or not, the counts are the same", async () => {
    const before = await values(week);
    for (const table of ["field_values", "samples_1h_by_exe", "frames", "stacks"]) await engine.command(`OPTIMIZE TABLE ${table} FINAL`);
    expect(await values(week)).toEqual(before);
  });

  test("another tenant's values are its own", async () => {
    for (const range of [{}, week]) {
      expect(await values({ scope: other, ...range })).toEqual(["hostName-theirs 3"]);
      expect(await values({ scope: tenantScope("c".repeat(16), 30), ...range })).toEqual([]);
    }
    expect(await values({ scope: other, field: "kernel.name" })).toEqual(["flash_fwd_kernel 2"]);
    expect(await values({ scope: tenantScope("c".repeat(16), 30), field: "kernel.name" })).toEqual([]);
  });
});

describe("frames", () => {
  test("kernels, modules and kinds of the samples in the range", async () => {
    // Of three samples two end in the kernel, all are below the layer.
    expect(await values({ field: "kernel.name" })).toEqual(["flash_fwd_kernel 4"]);
    expect(await values({ field: "module.path" })).toEqual(["model.layers.0.self_attn 6"]);
    expect(await values({ field: "module.class", test: "endsWith", text: "Attention" })).toEqual(["Qwen3Attention 6"]);
    expect(await values({ field: "module.class", text: "Attention" })).toEqual([]);
    expect(await values({ field: "model.name" })).toEqual([]); // the layer is no root
    expect(await values({ field: "profile.frame.type" })).toEqual(["layer 6", "gpu_kernel 4"]);
    expect(await values({ field: "profile.frame.type", text: "gpu" })).toEqual(["gpu_kernel 4"]);
    expect(await values({ field: "kernel.name", fromS: todayS + hourS, toS: todayS + 2 * hourS })).toEqual([]);
  });

  test("of a long range the last hours are counted, and what was seen before is offered behind", async () => {
    const toS = todayS + limits.frameValueHoursMax * hourS;
    expect(fieldValues(wanted({ field: "kernel.name", fromS: todayS - 6 * dayS, toS })).counted).toEqual({ fromS: todayS, toS });
    expect(await values({ field: "kernel.name", fromS: todayS - 6 * dayS, toS })).toEqual(["flash_fwd_kernel 6"]);
    expect(await values({ field: "kernel.name", fromS: todayS - dayS, toS: toS + 3 * hourS })).toEqual(["flash_fwd_kernel 0"]); // counted from three on
    expect(await values({ field: "kernel.name", fromS: todayS + dayS, toS: todayS + 3 * dayS, nowS: todayS + 3 * dayS })).toEqual([]);
  });

  test("a sample counts once, however many frames of its stack have the value", async () => {
    const scope = tenantScope("d".repeat(16), 30);
    const kind = { layer: 6n, gpu_kernel: 5n };
    const id = (number: bigint, of: bigint) => (number << 4n) | of;
    const layer = (number: bigint, path: string, moduleClass: string, name = `${moduleClass} ${path}`): EngineRow => ({ tenant_id: scope.tenantId, frame_id: id(number, kind.layer), kind: "layer", name, module_path: path, module_class: moduleClass, last_seen: "2099-01-01" });
    // Block in Block in the root, twice on record; the same kernel of two files is two frames.
    const frames = [layer(1n, "", "Net", "org/net"), layer(2n, "a", "Block"), layer(3n, "a.b", "Block"), ...[4n, 5n].map((number) => ({ tenant_id: scope.tenantId, frame_id: id(number, kind.gpu_kernel), kind: "gpu_kernel", name: "gemm", file: `${number}.cu`, last_seen: "2099-01-01" }))];
    await engine.insertRows("frames", [...frames, ...frames.map((row) => ({ ...row, last_seen: "2099-01-02" }))]);
    const stacks = [[id(1n, kind.layer), id(2n, kind.layer), id(3n, kind.layer), id(4n, kind.gpu_kernel), id(5n, kind.gpu_kernel)], [id(1n, kind.layer), id(2n, kind.layer), id(2n, kind.layer)], [id(5n, kind.gpu_kernel)]];
    await engine.insertRows("stacks", stacks.flatMap((ids, stack) => ["2099-01-01", "2099-01-02"].map((day) => ({ tenant_id: scope.tenantId, stack_id: stack, frames: ids, last_seen: day }))));
    const sample = (stack: number, step: number): EngineRow => ({ tenant_id: scope.tenantId, profile_type: step % 2 === 0 ? "cuda" : "cpu", retention_days: 30, bucket: todayS, ts: todayS, stack_id: stack, step, source: "live", value: 1, count: 1 });
    // Ten samples of the first stack, five of the second, one of the third, one whose stack is not stored.
    await engine.insertRows("samples", [...Array.from({ length: 10 }, (_, i) => sample(0, i)), ...Array.from({ length: 5 }, (_, i) => sample(1, i)), sample(2, 0), sample(99, 0)]);
    const of = (field: FieldName) => values({ scope, field });
    expect(await of("module.class")).toEqual(["Block 15", "Net 15"]);
    expect(await of("module.path")).toEqual(["a 15", "a.b 10"]); // the root's own path is empty, which is no value
    expect(await of("model.name")).toEqual(["org/net 15"]);
    expect(await of("kernel.name")).toEqual(["gemm 11"]);
    expect(await of("profile.frame.type")).toEqual(["layer 15", "gpu_kernel 11"]);
  });
});

describe("labels of processes", () => {
  const scope = tenantScope("e".repeat(16), 30);
  beforeAll(async () => {
    const sighting = (process: number, host: string, from: number, to: number, change: EngineRow = {}): EngineRow => ({
      tenant_id: scope.tenantId, model_key: "0".repeat(32), day: new Date(to * 1_000).toISOString().slice(0, 10), source: "live", host_name: host, machine_id: host, process_key: process,
      exe_name: "python", user_tags: ["env:prod"], first_seen: from, last_seen: to, ...change,
    });
    await engine.insertRows("sightings", [
      sighting(1, "node-7", todayS - hourS, todayS), sighting(1, "node-7", todayS, todayS + hourS), sighting(1, "node-7", todayS, todayS + hourS, { model_key: "1".repeat(32) }),
      sighting(2, "node-7", todayS, todayS + hourS), sighting(3, "node-8", todayS - 3 * dayS, todayS - 2 * dayS, { user_tags: [] }),
    ]);
  });
  const of = (field: FieldName, change: Partial<ValuesWanted> = {}) => values({ scope, field, table: "sightings", ...change });

  test("a process counts once, however often it says that it runs", async () => {
    expect(await of("host.name")).toEqual(["node-7 2"]);
    expect(await of("host.name", week)).toEqual(["node-7 2", "node-8 1"]);
    expect(await of("host.name", { fromS: todayS - 3 * dayS, toS: todayS - 2 * dayS })).toEqual(["node-8 1"]);
    expect(await of("user.tag", week)).toEqual(["env:prod 2"]);
    expect(await of("process.executable.name", { ...week, text: "py" })).toEqual(["python 3"]);
    expect(await of("job.tag", week)).toEqual([]);
  });

  test("every field of the Models page can be asked, and no other", async () => {
    for (const field of fieldsOfPage("models")) await of(field);
    await expect(of("kernel.name")).rejects.toThrow("invariant");
  });
});

test("random samples and stacks: every field's values, with their counts, are those that counting one by one finds", async () => {
  const scope = tenantScope("f".repeat(16), 30);
  const draw = <T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): T[] => fc.sample(arbitrary, { seed, numRuns: count });
  const seed = Number(process.env.LAMELLA_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const frames: Frame[] = Array.from({ length: 50 }, (_, at) => draw(frame(at), 1, seed + at)[0]!);
  const stacks = draw(fc.array(fc.constantFrom(...frames), { maxLength: 7 }), 30, seed);
  const rows = draw(fc.record({ fields: texts, tags, stack: fc.nat(31) }), 200, seed + 1).map((context, number) => ({ tenant: scope.tenantId, number, ...context }));
  await engine.insertRows("frames", frames.map(({ id, kind, name, modulePath, moduleClass }) => ({ tenant_id: scope.tenantId, frame_id: id, kind, name, module_path: modulePath, module_class: moduleClass, last_seen: "2099-01-01" })));
  await engine.insertRows("stacks", stacks.map((all, stack) => ({ tenant_id: scope.tenantId, stack_id: stack, frames: all.map(({ id }) => id), last_seen: "2099-01-01" })));
  await engine.insertRows("samples", rows.map(storedSample));

  const fromS = Date.UTC(2099, 0, 1) / 1_000;
  const subjects = rows.map((row) => subjectOf(row, stacks[row.stack] ?? []));
  const holds: Record<ValueTest, (value: string, text: string) => boolean> = { startsWith: (value, text) => value.startsWith(text), contains: (value, text) => value.includes(text), endsWith: (value, text) => value.endsWith(text) };
  for (const field of fieldNames) {
    for (const [test, text] of [["startsWith", ""], ["startsWith", "a"], ["contains", "b"], ["endsWith", "é"], ["contains", "\\"], ["startsWith", "g"]] as const) {
      const counts = new Map<string, number>();
      for (const subject of subjects) for (const value of new Set([subject[field] ?? []].flat())) if (value !== "" && holds[test](value, text)) counts.set(value, (counts.get(value) ?? 0) + 1);
      // By name in the order of their bytes, as the store has it.
      const expected = [...counts].sort(([left, n], [right, m]) => m - n || Buffer.compare(Buffer.from(left), Buffer.from(right))).map(([value, count]) => `${value} ${count}`);
      for (const toS of [fromS + hourS, fromS + 7 * hourS]) expect(await values({ scope, field, test, text, fromS, toS, nowS: fromS + dayS, limit: 1_000 }), `${field} ${test} ${text} seed ${seed}`).toEqual(expected);
    }
  }
});
