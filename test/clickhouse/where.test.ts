// Filters on a real ClickHouse: what the SQL selects is what the reference evaluator says, for random filters and rows of two tenants whose ids collide on purpose.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldNames, fields, fieldsOfPage } from "#schema/fields.ts";
import { readFilter } from "#core/filter/check.ts";
import { predicate, type Subject } from "#core/filter/evaluate.ts";
import { type Condition, type Filter, join, type Term } from "#core/filter/filter.ts";
import { print, quote } from "#core/filter/printer.ts";
import { asciiPattern, regexFault } from "#core/regex.ts";
import { rollupFor, where, type WhereTable } from "#clickhouse/where.ts";
import { openEngine } from "#test/rig/engine.ts";
import { filterOver, hostile } from "#test/rig/filters.ts";
import { columnOfField, frame, type Frame, storedSample, subjectOf, tags, texts } from "#test/rig/sample-rows.ts";

const tenants = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"] as const;
const rowsPerTenant = 150;
const stacksPerTenant = 40;
const runs = Number(process.env.LAMELLA_PROPERTY_RUNS ?? 200);
const manyFilters = 10_000;
const filtersPerQuery = 50;
const seed = Number(process.env.LAMELLA_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));

const engine = openEngine();
const subjects = new Map<string, Map<number, Subject>>();

beforeAll(async () => {
  console.log(`property seed ${seed} (LAMELLA_PROPERTY_SEED), ${runs} filters (LAMELLA_PROPERTY_RUNS)`);
  let number = 0;
  for (const [index, tenant] of tenants.entries()) {
    // The same stack ids and frame numbers in both tenants, with different contents.
    const draw = <T>(one: fc.Arbitrary<T>, count: number, offset: number): T[] => fc.sample(one, { seed: seed + index * 100 + offset, numRuns: count });
    const frames: Frame[] = Array.from({ length: 60 }, (_, at) => draw(frame(at), 1, 1_000 + at)[0]!);
    const stacks = draw(fc.array(fc.constantFrom(...frames), { maxLength: 6 }), stacksPerTenant, 1);
    const contexts = draw(fc.record({ fields: texts, tags, stack: fc.nat(stacksPerTenant + 2) }), rowsPerTenant, 2); // some stacks are not stored
    const rows = contexts.map((context) => ({ tenant, number: number++, ...context }));
    const storedStacks = stacks.map((all, stack) => ({ tenant_id: tenant, stack_id: stack, frames: all.map(({ id }) => id), last_seen: "2099-01-01" }));
    const storedFrames = frames.map(({ id, kind, name, modulePath, moduleClass }) => ({
      tenant_id: tenant, frame_id: id, kind, name, file: "", mapping: "", line: 0, module_path: modulePath, module_class: moduleClass, model_key: "", last_seen: "2099-01-01",
    }));
    await engine.insertRows("samples", rows.map(storedSample));
    // Dictionary rows arrive again on another day: nothing may count twice.
    for (const day of ["2099-01-01", "2099-01-02"]) {
      await engine.insertRows("stacks", storedStacks.map((row) => ({ ...row, last_seen: day })));
      await engine.insertRows("frames", storedFrames.map((row) => ({ ...row, last_seen: day })));
    }
    await engine.insertRows("sightings", rows.map((row) => {
      const { exe_name, script_name, k8s_namespace, k8s_deployment, cluster_name, slurm_job_id, slurm_job_name, slurm_job_user, job_tag, host_name, k8s_pod, container_name, user_tags } = storedSample(row);
      return { tenant_id: tenant, model_key: "0".repeat(32), day: "2099-01-01", source: "live", tp_rank: 0, pp_rank: 0, process_key: row.number, exe_name, script_name, k8s_namespace, k8s_deployment,
        cluster_name, slurm_job_id, slurm_job_name, slurm_job_user, job_tag, host_name, k8s_pod, container_name, user_tags };
    }));
    subjects.set(tenant, new Map(rows.map((row) => [row.number, subjectOf(row, stacks[row.stack] ?? [])])));
  }
});
afterAll(() => engine.close());

async function selected(filter: Filter, table: WhereTable, tenant: string): Promise<number[]> {
  const { sql, params } = where(filter, table);
  const id = table === "samples" ? "step" : "process_key";
  const rows = await engine.query<{ id: string }>(`SELECT toString(${id}) AS id FROM ${table} WHERE tenant_id = {tenant:String} AND ${sql} ORDER BY ${id}`, { ...params, tenant });
  return rows.map((row) => Number(row.id));
}

function expected(filter: Filter, tenant: string): number[] {
  const matches = predicate(filter)!;
  return [...subjects.get(tenant)!].filter(([, subject]) => matches(subject)).map(([number]) => number);
}

const parsed = (text: string): Filter => {
  const read = readFilter(text, "flamegraph");
  if (!read.ok) throw new Error(`${text}: ${read.error[0]!.message}`);
  return read.value;
};

// The same for many filters at once, as columns of one query: of each the rows it selects. Every filter keeps its own parameters.
async function selectedByEach(filters: readonly Filter[], table: WhereTable, tenant: string): Promise<number[][]> {
  const id = table === "samples" ? "step" : "process_key";
  const params: Record<string, string | string[]> = {};
  const columns = filters.map((filter, at) => {
    const { sql, params: own } = where(filter, table);
    for (const [name, value] of Object.entries(own)) params[`f${at}_${name}`] = value;
    return `arraySort(groupArrayIf(toUInt64(${id}), ${sql.replaceAll(/\{(p\d+):/g, `{f${at}_$1:`)})) AS f${at}`;
  });
  const [row] = await engine.query<Record<string, string[]>>(`SELECT ${columns.join(", ")} FROM ${table} WHERE tenant_id = {tenant:String}`, { ...params, tenant });
  return filters.map((_, at) => row![`f${at}`]!.map(Number));
}

// Labels are most of them: a condition on frames is two queries of its own, 10 ms where the others take 1.
const labels = fieldNames.filter((name) => fields[name].kind !== "frame");
test.each([["labels of samples", "samples", labels, 0.8], ["any field of samples", "samples", fieldNames, 0.1], ["processes", "sightings", fieldsOfPage("models"), 0.1]] as const)("ten thousand random filters, %s: each selects what the reference selects, and never another tenant's rows", async (_what, table, names, share) => {
  const count = manyFilters * share;
  const filters = fc.sample(filterOver(names), { seed, numRuns: count });
  let matched = 0;
  for (let at = 0; at < filters.length; at += filtersPerQuery) {
    const some = filters.slice(at, at + filtersPerQuery);
    const tenant = tenants[(at / filtersPerQuery) % 2]!;
    const answers = await selectedByEach(some, table, tenant);
    for (const [place, filter] of some.entries()) {
      const own = expected(filter, tenant);
      if (own.length > 0 && own.length < rowsPerTenant) matched++;
      expect(answers[place], `${print(filter)} seed ${seed}`).toEqual(own);
    }
  }
  // Filters that match everything or nothing would prove little.
  expect(matched).toBeGreaterThan(count / 5);
});

test.each([["samples", fieldNames], ["sightings", fieldsOfPage("models")]] as const)("as the WHERE of %s they select the same", async (table, names) => {
  await fc.assert(fc.asyncProperty(filterOver(names), fc.constantFrom(...tenants), async (filter, tenant) => {
    expect(await selected(filter, table, tenant), print(filter)).toEqual(expected(filter, tenant));
  }), { numRuns: runs, seed });
});

test("an OR, in or around a filter, opens no other tenant", async () => {
  const open = parsed('host.name == "a" || host.name != "a"');
  for (const tenant of tenants) {
    for (const filter of [open, parsed('!(job.tag == "x" && job.tag == "y")'), parsed('profile.frame.type != "nvtx" || profile.frame.type == "nvtx"')]) {
      expect(await selected(filter, "samples", tenant)).toEqual([...subjects.get(tenant)!.keys()]);
    }
  }
});

// The filter with every value replaced.
function revalued(filter: Filter, value: string): Filter {
  if (filter.kind === "everything") return filter;
  const term = (one: Term): Term => one.kind === "condition" ? { ...one, values: one.values.map(() => value) } : one.kind === "not" ? { ...one, operand: term(one.operand) } : { ...one, operands: one.operands.map(term) };
  return term(filter);
}

test("of ten thousand filters no byte of a value is in the SQL text, which depends on the structure alone", () => {
  // A mark that no text of ours has, in the middle of texts that try to break out.
  const mark = fc.tuple(fc.constantFrom(...hostile), fc.string({ unit: fc.constantFrom("q", "x", "z", "7"), minLength: 8, maxLength: 8 })).map(([text, word]) => ({ word, value: `${text}${word}${text}` }));
  fc.assert(fc.property(filterOver(), mark, (filter, { word, value }) => {
    const { sql, params } = where(filter, "samples");
    const changed = where(revalued(filter, value), "samples");
    expect(changed.sql).toBe(sql);
    expect(changed.sql).not.toContain(word);
    expect(Object.values(changed.params).flat().every((one) => one === value || one === asciiPattern(value))).toBe(true);
    expect(sql).toMatch(/^[A-Za-z0-9_ ().,:{}<>=!'[\]-]*$/);
    expect(Object.keys(params)).toEqual(Object.keys(params).map((_, index) => `p${index}`));
    for (const name of Object.keys(params)) expect(sql).toContain(`{${name}:`);
  }), { seed, numRuns: manyFilters });
});

test("every table a filter reads carries its tenant", () => {
  fc.assert(fc.property(filterOver(), (filter) => {
    const { sql } = where(filter, "samples");
    expect(sql.split("FROM ").slice(1).every((rest) => /^(stacks|frames) WHERE tenant_id = \{tenant:String\} AND /.test(rest))).toBe(true);
  }), { seed, numRuns: 500 });
});

// What is tried on languages that compile to SQL: guards left out by OR, UNION, sub-queries and comments, other tables and columns, stacked statements, functions,
// identifiers and parameters of the statement around. Each is refused with its place, or is a value like any other.
describe("attempts at the statement around a filter", () => {
  test.each([
    'host.name == "a" OR 1=1', "1=1", "1", "true", 'host.name == "a" || true', 'host.name == "a" UNION ALL SELECT * FROM samples', 'host.name in (SELECT host_name FROM samples)',
    'host.name in ["a"] UNION SELECT 1', 'host.name == "a"; DROP TABLE samples', 'host.name == "a" -- ', 'host.name == "a" /* */', 'host.name == "a" # ', 'host.name == "a" FORMAT Native',
    'host.name == "a" SETTINGS SQL_tenant = "bbbbbbbbbbbbbbbb"', 'host.name == "a" PREWHERE 1', "file(\"/etc/passwd\")", 'host.name == file("/etc/passwd")', 'host.name == getSetting("SQL_tenant")', 'url("http://a") == "b"',
    'tenant_id == "bbbbbbbbbbbbbbbb"', "has(tenant_id)", 'tenant.id != ""', 'samples.tenant_id != ""', 'host_name == "a"', 'exe_name.contains("a")', 'system.tables == "a"', 'lamella.samples == "a"', '`host_name` == "a"', '"host_name" == "a"',
    '{tenant:String} == "a"', "host.name == {p0:String}", "p0 == \"a\"", "host.name == host.name", 'host.name == "a" AND (SELECT 1)', 'host.name.matches("a", "b")', 'host.name.contains("a") AS x', 'host.name == "a" LIMIT 1', "host.name == x'41'", "host.name == 0x41", "(1) OR (1)",
  ])("%s", (text) => {
    const read = readFilter(text, "flamegraph");
    expect(read.ok).toBe(false);
    for (const { from, to } of read.ok ? [] : read.error) expect([from >= 0, to <= text.length]).toEqual([true, true]);
  });

  test.each([
    "' OR 1=1 --", "') OR tenant_id != ('", "a'; DROP TABLE samples; --", "\\' OR 1=1 --", "''", "test''injection", "a\0b", "™", "{tenant:String}", "{p0:String}", "%(p0)s", "?", "$1", ":p0", "/* */", "--", "#", "\\x27 OR 1=1", "\uff07 OR 1=1", "\u02bc OR 1=1", "ʼ; SELECT 1",
  ])("as a value: %s", async (value) => {
    for (const filter of [`host.name == ${quote(value)}`, `host.name != ${quote(value)} && host.name == ${quote(value)}`, `user.tag in [${quote(value)}, "no such"]`, `kernel.name.contains(${quote(`${value}\u0001`)})`]) {
      const { sql, params } = where(parsed(filter), "samples");
      expect(sql).toMatch(/^[A-Za-z0-9_ ().,:{}<>=!'[\]-]*$/);
      expect(JSON.stringify(params)).toContain(JSON.stringify(value).slice(1, -1));
      expect(await selected(parsed(filter), "samples", tenants[0])).toEqual(expected(parsed(filter), tenants[0]));
    }
  });
});

test("every group stands in parentheses", () => {
  expect(where(parsed('host.name == "a" || script.name != "b" && !job.tag.contains("c")'), "samples")).toEqual({
    sql: "((host_name = {p0:String}) OR ((script_name != {p1:String}) AND (NOT (position(job_tag, {p2:String}) > 0))))",
    params: { p0: "a", p1: "b", p2: "c" },
  });
});

test.each([
  ["", "1"],
  ['process.executable.name in ["a", "b"]', "(exe_name IN {p0:Array(String)})"],
  ['k8s.pod.name.startsWith("a")', "(startsWith(k8s_pod, {p0:String}))"],
  ['gpu.name.matches("a")', "(match(gpu_name, {p0:String}))"],
  ["has(thread.name)", "(thread_name != '')"],
  ['user.tag == "a"', "(has(user_tags, {p0:String}))"],
  ['user.tag != "a"', "(NOT (has(user_tags, {p0:String})))"],
  ['user.tag in ["a"]', "(hasAny(user_tags, {p0:Array(String)}))"],
  ['user.tag.endsWith("a")', "(arrayExists(element -> endsWith(element, {p0:String}), user_tags))"],
  ['kernel.name == "a"', "(stack_id IN (SELECT stack_id FROM stacks WHERE tenant_id = {tenant:String} AND arrayExists(frame -> frame IN (SELECT frame_id FROM frames WHERE tenant_id = {tenant:String} AND kind = 'gpu_kernel' AND name = {p0:String}), kernels)))"],
])("%s compiles to %s", (text, sql) => {
  expect(where(parsed(text), "samples").sql).toBe(sql);
});

test("a field that a table has no column for is a fault of ours, not an empty answer", () => {
  expect(() => where(parsed('gpu.name == "a"'), "sightings")).toThrow("invariant");
});

test("the store accepts every filter of the fixture list", async () => {
  const lines = readFileSync(new URL("../../schema/fixtures/filter_valid.txt", import.meta.url), "utf8").split("\n").filter((line) => line.includes("\t"));
  for (const line of lines) await selected(parsed(line.slice(line.lastIndexOf("\t") + 1)), "samples", tenants[0]);
});

// match() looks for the first bytes of é before it asks RE2, and so misses rows that hold none.
test.each(["é*", "(😀?)$", "漢{0}", "^(é*?|a)"])("a pattern that need not find its letters matches every row: %s", async (pattern) => {
  expect(await selected(parsed(`host.name.matches("${pattern}")`), "samples", tenants[0])).toEqual([...subjects.get(tenants[0])!.keys()]);
  expect(await selected(parsed(`user.tag.matches("${pattern}") || !has(user.tag)`), "samples", tenants[0])).toHaveLength(rowsPerTenant);
});

test("a pattern refused before the store is one the store refuses too", async () => {
  const part = fc.constantFrom("a", "(", ")", "(?:", "(?i)", "(?i:", "(?P<x>", "(?=", "[", "]", "[^", "^", "$", "|", "*", "+", "?", "{2}", "{2,1}", "{,3}", "{1,2000}", "\\", "\\1", "\\Q", "\\E", "\\b", "\\d", "[[:alpha:]]", "-", ".");
  let refused = 0;
  let missed = 0;
  await fc.assert(fc.asyncProperty(fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")), async (pattern) => {
    const fault = regexFault(pattern);
    // match() looks for plain text before it asks RE2 and so lets ")" pass; a replacement always asks.
    const store = await engine.query("SELECT replaceRegexpOne(materialize('abc'), {p:String}, '') AS text", { p: pattern }).then(() => "", (error: Error) => error.message);
    if (fault !== undefined) {
      refused++;
      expect(store, `${pattern}: ${fault}`).toContain("not a valid re2 pattern");
    } else if (store !== "") missed++;
  }), { seed, numRuns: runs });
  // What the look at the text lets through is caught by the store, but it should be the exception.
  expect(missed).toBeLessThan(refused / 2);
});

test("an executable's name prunes by the primary key", async () => {
  await engine.command(`INSERT INTO samples (tenant_id, profile_type, bucket, ts, retention_days, exe_name, stack_id, value, count)
    SELECT 'cccccccccccccccc', 'cuda', toDateTime('2099-01-01 00:00:00', 'UTC'), toDateTime('2099-01-01 00:00:00', 'UTC'), 30, concat('exe', leftPad(toString(number % 20), 2, '0')), number, 1, 1 FROM numbers(200000)`);
  const granules = async (text: string): Promise<{ read: number; all: number }> => {
    const { sql, params } = where(parsed(text), "samples");
    const lines = await engine.query<{ explain: string }>(`EXPLAIN indexes = 1 SELECT sum(value) FROM samples WHERE tenant_id = {tenant:String} AND profile_type = 'cuda' AND execution_id = ''
      AND bucket = toDateTime('2099-01-01 00:00:00', 'UTC') AND ${sql}`, { ...params, tenant: "cccccccccccccccc" });
    const plan = lines.map(({ explain }) => explain).join("\n");
    const found = /Granules: (\d+)\/(\d+)/.exec(plan.slice(plan.indexOf("PrimaryKey")));
    return { read: Number(found![1]), all: Number(found![2]) };
  };
  const whole = await granules("");
  expect(whole.read).toBeGreaterThanOrEqual(24);
  // A twentieth of the rows, and a granule at either end.
  for (const text of ['process.executable.name == "exe07"', 'process.executable.name in ["exe07"]', 'process.executable.name.startsWith("exe07")', 'process.executable.name == "exe07" && host.name == ""']) {
    expect((await granules(text)).read, text).toBeLessThanOrEqual(Math.ceil(whole.read / 20) + 2);
  }
});

test.each([
  ["", "samples_1h_by_exe"],
  ['process.executable.name == "a"', "samples_1h_by_exe"],
  ['kernel.name == "a" || !(process.executable.name in ["b"])', "samples_1h_by_exe"],
  ['k8s.namespace.name == "a"', "samples_1h_by_deployment"],
  ['k8s.deployment.name == "a" && cluster.name == "b" && module.path.contains("c")', "samples_1h_by_deployment"],
  ['host.name == "a"', null],
  ['process.executable.name == "a" && user.tag == "b"', null],
])("%s is answered by %s", (text, table) => {
  expect(rollupFor(parsed(text))).toBe(table);
});

test("a roll-up answers exactly what the raw rows answer", async () => {
  const names = fieldNames.filter((field) => rollupFor({ kind: "condition", field, operator: "has", values: [] } satisfies Condition) !== null);
  expect(names).toHaveLength(9);
  await fc.assert(fc.asyncProperty(filterOver(names), fc.constantFrom(...tenants), async (filter, tenant) => {
    const table = rollupFor(filter)!;
    const { sql, params } = where(filter, "samples");
    const total = async (from: string): Promise<unknown> =>
      (await engine.query<{ total: string }>(`SELECT sum(value) AS total FROM ${from} WHERE tenant_id = {tenant:String} AND ${sql}`, { ...params, tenant }))[0]!.total;
    const rows = String(expected(filter, tenant).length);
    expect([await total("samples"), await total(table)], print(filter)).toEqual([rows, rows]);
  }), { seed, numRuns: Math.ceil(runs / 4) });
});

test("every string field of the language has the column its rows are stored in", () => {
  for (const [field, column] of Object.entries(columnOfField)) {
    const filter = join("and", [{ kind: "condition", field: field as keyof typeof columnOfField, operator: "==", values: ["a"] }])!;
    expect(where(filter, "samples").sql).toBe(`(${column} = {p0:String})`);
  }
});
