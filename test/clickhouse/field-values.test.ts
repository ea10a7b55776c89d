// Values for completion, collected by the store itself while samples arrive.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fieldValues } from "#clickhouse/field-values.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { fieldNames, fields } from "#schema/fields.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { openEngine } from "#test/rig/engine.ts";
import { encodeUpload, labelColumns, smallUpload } from "#test/rig/samples-uploads.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";

const engine = openEngine();
afterAll(() => engine.close());

const dayS = 86_400;
const todayS = Math.floor(Date.now() / 1_000 / dayS) * dayS;
const [one, other] = [tenantScope("a".repeat(16), 30), tenantScope("b".repeat(16), 30)];

// Three samples in one context that has every label, named after its column.
async function store(scope: TenantScope, atS: number, suffix: string): Promise<void> {
  const upload = smallUpload();
  upload.baseTimeS = BigInt(atS);
  for (const column of labelColumns) upload.contexts[column] = [0, upload.strings.push(`${column}-${suffix}`) - 1];
  const decoded = decodeSamples(encodeUpload(upload));
  if (!decoded.ok) throw new Error(decoded.error.detail);
  await insertBlock(engine, "samples", sampleRows(scope, decoded.value, atS).samples());
}

beforeAll(async () => {
  await store(one, todayS - dayS + 100, "old");
  await store(one, todayS + 100, "new");
  await store(one, todayS + 200, "new");
  await store(other, todayS + 100, "theirs");
});

const ofOne = (field: string, prefix = "", fromS = todayS, toS = todayS + 60, limit = 50) => ask(engine, one, fieldValues(field, prefix, fromS, toS, limit));

test("every field that a sample has of its own is collected under its name in filters", async () => {
  for (const field of fieldNames.filter((name) => fields[name].kind === "string")) {
    const [row, ...more] = await ofOne(field);
    expect(more).toEqual([]);
    expect([field, row?.samples]).toEqual([field, 6]);
    expect(row?.value).toMatch(/-new$/);
  }
  expect(await ofOne("host.name")).toEqual([{ value: "hostName-new", samples: 6 }]);
  expect(await ofOne("user.tag")).toEqual([{ value: "a:b", samples: 6 }, { value: "env:prod", samples: 6 }]);
});

test("whole days of the range, most samples first, then by name", async () => {
  expect(await ofOne("host.name", "", todayS - 1)).toEqual([{ value: "hostName-new", samples: 6 }, { value: "hostName-old", samples: 3 }]);
  expect(await ofOne("host.name", "", todayS - dayS, todayS - 1)).toEqual([{ value: "hostName-old", samples: 3 }]);
  expect(await ofOne("host.name", "", todayS - 3 * dayS, todayS - 2 * dayS)).toEqual([]);
  expect(await ofOne("host.name", "", todayS - 1, todayS, 1)).toEqual([{ value: "hostName-new", samples: 6 }]);
});

test("values that begin with what was typed, every character meaning itself", async () => {
  expect(await ofOne("user.tag", "env")).toEqual([{ value: "env:prod", samples: 6 }]);
  expect(await ofOne("user.tag", "%")).toEqual([]);
  expect(await ofOne("user.tag", "e.v")).toEqual([]);
  expect(await ofOne("user.tag", "ENV")).toEqual([]);
});

test("merged or not, the counts are the same", async () => {
  const before = await ofOne("thread.name", "", todayS - dayS);
  await engine.command("OPTIMIZE TABLE field_values FINAL");
  expect(await ofOne("thread.name", "", todayS - dayS)).toEqual(before);
});

test("another tenant's values are its own", async () => {
  expect(await ask(engine, other, fieldValues("host.name", "", todayS - 9 * dayS, todayS + dayS, 50))).toEqual([{ value: "hostName-theirs", samples: 3 }]);
  expect(await ask(engine, tenantScope("c".repeat(16), 30), fieldValues("host.name", "", 0, todayS + dayS, 50))).toEqual([]);
});
