// Filters over the whole way: completion with the values that the data has, values made to break out, patterns and lists at their bounds, the command line.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { valueOption } from "#core/filter/complete.ts";
import { quote } from "#core/filter/printer.ts";
import { root } from "#local/worker.ts";
import { fieldsOfPage } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import type { Answer, Client } from "#test/rig/client.ts";
import { hostile } from "#test/rig/filters.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { nowS, randomId, samplesUpload, sightingsUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let ada: Client;
let ben: Client;
beforeAll(async () => {
  rig = await StackRig.open();
  ada = await rig.tenantWithModels("ada");
  ben = await rig.tenantWithModels("ben");
  const profile = drawProfile(`
    main                                main                                main
    Net@net:layer                       Net@net:layer                       idle
    Attention attn@net.0.attn:layer     Mlp mlp@net.0.mlp:layer             5/1
    flash_fwd_kernel:gpu_kernel         cutlass_gemm(a,"b"):gpu_kernel
    100/10                              60/6`);
  const classes = { ...profile, frames: profile.frames.map((one) => (one.kind === "layer" ? { ...one, moduleClass: one.name.split(" ")[0]! } : one)) };
  await rig.send(ada,
    ["samples", samplesUpload(classes, { hostName: "node-7", exeName: "python3.11", tags: ["env:prod", "team:ml"] })], ["samples", samplesUpload(drawProfile("main\nother:gpu_kernel\n1/1"), { hostName: "node-8" })],
    ["sightings", sightingsUpload({ modelKey: randomId(32), nameOrPath: "org/net", hostName: "walker", processKey: 1n }, { modelKey: randomId(32), nameOrPath: "org/net", hostName: "walker", processKey: 2n })]);
});
afterAll(() => rig.remove());

const complete = (text: string, query: Record<string, string> = {}, who = ada) => who.get("filterComplete", { query: { text, ...query } });
const offers = ({ options }: Answer<"filterComplete">) => options.map(({ text, count }) => (count === null ? text : `${text} ${count}`));

describe("completion", () => {
  test("labels with their samples, as they must be written", async () => {
    const answer = await complete('host.name == "no');
    expect(answer).toMatchObject({ slot: "value", field: "host.name", operator: "==", expected: ["a quoted value"], replace: { from: 13, to: 16 }, typed: "no", counts: "samples", more: false, canonical: null });
    expect(answer.problems).toMatchObject([{ kind: "unterminated_string", from: 13, to: 16 }]);
    expect(offers(answer)).toEqual(['"node-7" 3', '"node-8" 1']);
    expect(answer.options[0]).toEqual({ text: '"node-7"', value: "node-7", count: 3 });
    expect(offers(await complete('user.tag in ["env:prod", "te'))).toEqual(['"team:ml" 3']);
    expect(offers(await complete("process.executable.name.startsWith('py"))).toEqual(['"python3.11" 3']);
    expect(offers(await complete('host.name.endsWith("8'))).toEqual(['"node-8" 1']);
    expect(offers(await complete('host.name == "NO'))).toEqual([]);
    // In the middle of a text whose quotes are balanced.
    expect(await complete('host.name == "no" && job.tag == "x"', { cursor: "16" })).toMatchObject({ replace: { from: 13, to: 17 }, typed: "no", canonical: 'host.name == "no" && job.tag == "x"', problems: [] });
  });

  test("kernels, modules, classes, models and kinds of frames, counted in the samples that have them", async () => {
    expect(offers(await complete("kernel.name == "))).toEqual(['"cutlass_gemm(a,\\"b\\")" 1', '"flash_fwd_kernel" 1', '"other" 1']);
    expect(offers(await complete('kernel.name.contains("gemm'))).toEqual(['"cutlass_gemm(a,\\"b\\")" 1']);
    expect(offers(await complete('kernel.name.matches("^cutlass'))).toEqual(['"^cutlass_gemm\\\\(a,\\"b\\"\\\\)" 1']);
    expect(offers(await complete('kernel.name.matches("a|b'))).toEqual([]);
    expect(offers(await complete("module.path == "))).toEqual(['"net" 2', '"net.0.attn" 1', '"net.0.mlp" 1']);
    expect(offers(await complete("module.class in ["))).toEqual(['"Net" 2', '"Attention" 1', '"Mlp" 1']);
    expect(offers(await complete("profile.frame.type == "))).toEqual([
      '"python" 4', '"gpu_kernel" 3', '"layer" 2', ...["native", "os_kernel", "gpu_api", "op", "nvtx", "sass", "stall", "instruction"].map((kind) => `"${kind}" 0`),
    ]);
    // What is offered selects what is counted.
    for (const { text, count } of (await complete("kernel.name == ")).options) expect((await ada.get("flamegraph", { query: { filter: `kernel.name == ${text}` } })).samples).toBe(count);
    for (const { text, count } of (await complete('kernel.name.matches("')).options) expect((await ada.get("flamegraph", { query: { filter: `kernel.name.matches(${text})` } })).samples).toBe(count);
  });

  test("the Models page is completed from the processes that ran models, with its own fields", async () => {
    const answer = await complete("host.name == ", { page: "models" });
    expect([offers(answer), answer.counts]).toEqual([['"walker" 2'], "processes"]);
    expect(offers(await complete("", { page: "models" }))).toEqual([...fieldsOfPage("models"), "!", "(", "has("]);
    expect(await complete("kernel.name == ", { page: "models" })).toMatchObject({ slot: "value", options: [], counts: null, counted: null, problems: [{ kind: "field_unsupported" }, { kind: "unexpected_token" }] });
  });

  test("words of the language, and what is expected", async () => {
    expect(await complete("")).toMatchObject({ slot: "field", field: null, expected: ["a field", "!", "("], canonical: "", problems: [], counts: null, counted: null });
    expect(await complete("host.name ")).toMatchObject({ slot: "operator", field: "host.name", replace: { from: 10, to: 10 } });
    expect(offers(await complete('(host.name = "a" '))).toEqual(["&&", "||", ")"]);
    expect(await complete("host.name = 'a' and ")).toMatchObject({ slot: "field", problems: [{ kind: "unexpected_token", from: 20, to: 20 }] });
  });

  test("the time that is counted is said: whole hours, whole days", async () => {
    const hours = (await complete("host.name == ", { from: "-1h" })).counted!;
    const [from, to] = [Date.parse(hours.from) / 1_000, Date.parse(hours.to) / 1_000];
    expect([from % 3_600, to % 3_600, from <= nowS() - 3_600, to >= nowS()]).toEqual([0, 0, true, true]);
    const days = (await complete("host.name == ", { from: "-7d" })).counted!;
    expect([Date.parse(days.from) % 86_400_000, Date.parse(days.to) % 86_400_000]).toEqual([0, 0]);
    expect(offers(await complete("host.name == ", { from: "-7d", to: "-2d" }))).toEqual([]);
  });

  test("more values than are listed; none that the filter has no room for", async () => {
    const tenant = await rig.tenant("many");
    const long = "x".repeat(200);
    await rig.rows(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, host_name, exe_name, source, value, count)
      SELECT {tenant:String}, 'cuda', 30, toStartOfHour(now()), now(), concat('node-', leftPad(toString(number), 3, '0')), {exe:String}, 'live', 1, 1 FROM numbers(${limits.fieldValuesMax + 1})`, { tenant: tenant.tenantId, exe: long });
    const answer = await complete("host.name == ", {}, tenant);
    expect([answer.options.length, answer.more, answer.options[0]!.text]).toEqual([limits.fieldValuesMax, true, '"node-000"']);
    expect(await complete('host.name == "node-05', {}, tenant)).toMatchObject({ options: [{ value: "node-050" }], more: false });
    const padding = (bytes: number) => `host.name == "${"a".repeat(bytes - 15)}" && `.padStart(bytes);
    for (const [room, found] of [[250, 1], [199, 0]] as const) {
      const text = `${padding(limits.filterBytesMax - room - 28)} process.executable.name == `;
      expect([room, (await complete(text, {}, tenant)).options.length]).toEqual([room, found]);
    }
  });

  test("another tenant's data completes nothing", async () => {
    for (const field of [...fieldsOfPage("flamegraph")].filter((one) => one !== "profile.frame.type")) expect((await complete(`${field} == `, { from: "-30d" }, ben)).options, field).toEqual([]);
    expect((await complete("profile.frame.type == ", {}, ben)).options.every(({ count }) => count === 0)).toBe(true);
    for (const field of fieldsOfPage("models")) expect((await complete(`${field} == `, { page: "models", from: "-30d" }, ben)).options, field).toEqual([]);
  });

  test("a cursor outside the text, a text over its bound and a range that is none are refused", async () => {
    expect((await ada.refused("parameter_invalid", "filterComplete", { query: { text: "abc", cursor: "4" } })).detail).toContain("3 UTF-16 code units");
    for (const query of [{ text: "abc", cursor: "-1" }, { text: "abc", cursor: "1.5" }, { text: "abc", cursor: "x" }, { text: "x".repeat(limits.filterBytesMax + 1) }, { text: "", page: "metrics" }, { cursor: "0" }]) {
      await ada.refused("parameter_invalid", "filterComplete", { query: query as Record<string, string> });
    }
    await ada.refused("time_range_invalid", "filterComplete", { query: { text: "host.name == ", from: "yesterday" } });
    await ada.refused("time_range_invalid", "filterComplete", { query: { text: "", from: "now", to: "-1h" } });
    // Bytes, not characters: within the parameter's bound and over the filter's, nothing is offered and the problem says why.
    expect(await complete("é".repeat(limits.filterBytesMax / 2 + 1))).toMatchObject({ options: [], problems: [{ kind: "filter_too_long" }] });
    expect(await complete('host.name == "😀', { cursor: "14" })).toMatchObject({ slot: "value" });
    expect(await complete('host.name == "😀', { cursor: "15" })).toMatchObject({ slot: "value", typed: "😀" });
  });
});

describe("values made to break out", () => {
  const names = [...hostile.filter((text) => text.trim() !== ""), "a\u202eb", "\u0001", "'; DROP TABLE samples --", "{tenant:String}'", "é漢😀", "x".repeat(limits.labelBytesMax)];

  test("each selects its own samples, as a label, in a list, as a tag and as a pattern, and is offered as it must be written", async () => {
    const tenant = await rig.tenant("hostile");
    await rig.send(tenant, ...names.map((name, i): ["samples", Uint8Array] => ["samples", samplesUpload(drawProfile(`main\nk:gpu_kernel\n${i + 1}/1`), { hostName: name, tags: [name] })]));
    const stored = await rig.rows<{ host: string; total: string }>("SELECT host_name AS host, sum(value) AS total FROM samples WHERE tenant_id = {tenant:String} GROUP BY host", { tenant: tenant.tenantId });
    expect(stored).toHaveLength(names.length); // none was changed at the door
    for (const [i, name] of names.entries()) {
      const text = quote(name);
      const pattern = Buffer.byteLength(name) < limits.filterRegexBytesMax / 4 ? ` && host.name.matches(${valueOption("matches", name, "^")})` : "";
      const filter = `host.name == ${text} && host.name in ["", ${text}] && user.tag == ${text} && host.name.startsWith(${text}) && host.name.endsWith(${text})${pattern}`;
      expect([filter, (await tenant.get("flamegraph", { query: { filter } })).total]).toEqual([filter, i + 1]);
    }
    const offered: string[] = [];
    for (const typed of ["", "'", "{", "\\\\", "x"]) offered.push(...(await complete(`host.name == "${typed}`, {}, tenant)).options.map(({ text }) => text));
    expect(new Set(offered)).toEqual(new Set(names.map(quote)));
  });

  test("no byte of a value is in a text that reaches the store", async () => {
    const mark = `zq${randomId(32)}`;
    const heard: string[] = [];
    rig.front.onRead = (body) => void heard.push(body.toString("utf8"));
    const value = quote(`${mark}' OR 1=1 -- {tenant:String}`);
    for (const filter of [`host.name == ${value}`, `user.tag in [${value}]`, `kernel.name.matches(${quote(mark)})`, `!(module.path.contains(${value})) || job.tag != ${value}`]) {
      await ada.get("flamegraph", { query: { filter } });
      await ada.get("models", { query: { filter: filter.includes("kernel") || filter.includes("module") ? "" : filter } });
    }
    for (const field of ["host.name", "user.tag", "kernel.name", "profile.frame.type"]) await complete(`${field} == "${mark}`);
    await ada.get("fieldValues", { query: { field: "host.name", prefix: mark } });
    rig.front.onRead = () => undefined;
    // A multipart body: the statement is the part called "query", values are parts called "param_…".
    const parts = heard.flatMap((body) => body.split(/\r\n--[^\r\n]+\r\n|^--[^\r\n]+\r\n/)).filter((part) => part.includes(mark));
    expect(parts.length).toBeGreaterThan(10);
    for (const part of parts) expect(part).toMatch(/^content-disposition: form-data; name="param_\w+"/i);
    expect(heard.some((body) => /name="query"/.test(body))).toBe(true);
  });
});

describe("at the bounds", () => {
  test("patterns that would run for ever elsewhere are answered, or refused by the store with their own code", async () => {
    for (const pattern of ["(a*)*b", "(a|a)*$", "(x+x+)+y", "((a{10}){10}){10}", `${".*".repeat(250)}x`, "(.{1,32}){1,31}", `(${Array.from({ length: 60 }, (_, i) => `a${i}`).join("|")})*`, "[[:^alpha:]]{1000}", ".{1000}c", `.{${limits.filterRegexStepsMax}}c`]) {
      const answer = await ada.send("flamegraph", { query: { filter: `kernel.name.matches(${quote(pattern)}) || host.name.matches(${quote(pattern)})` } });
      expect([200, 400, 422], pattern).toContain(answer.status);
      if (answer.status !== 200) expect(["filter_regex_invalid", "limit_exceeded"]).toContain((JSON.parse(answer.text) as { code: string }).code);
    }
    for (const pattern of ["\\p{Nonsense}", "[z-a]", "\\y"]) expect(await ada.refused("filter_regex_invalid", "flamegraph", { query: { filter: `host.name.matches(${quote(pattern)})` } })).toMatchObject({ status: 400 });
  });

  test("the longest list, the most conditions and the deepest nesting are answered", async () => {
    const list = `host.name in ["node-7", ${Array.from({ length: limits.filterListMax - 1 }, (_, i) => `"n${i}"`).join(", ")}]`;
    const conditions = Array.from({ length: limits.filterConditionsMax }, (_, i) => (i === 0 ? 'host.name == "node-7"' : `kernel.name == "k${i}"`)).join(" || ");
    const tags = Array.from({ length: limits.filterConditionsMax }, () => 'user.tag != "x"').join(" && ");
    const nested = `${"!".repeat(limits.filterNestingMax)}(host.name == "node-7")`;
    for (const [filter, samples] of [[list, 3], [conditions, 3], [tags, 4], [nested, limits.filterNestingMax % 2 === 0 ? 3 : 1]] as const) expect((await ada.get("flamegraph", { query: { filter } })).samples, filter.slice(0, 40)).toBe(samples);
    for (const filter of [`host.name in [${Array(limits.filterListMax + 1).fill('"a"').join()}]`, Array(limits.filterConditionsMax + 1).fill("has(job.tag)").join("||"), `${"!".repeat(limits.filterNestingMax + 1)}has(job.tag)`, " ".repeat(limits.filterBytesMax + 1)]) {
      await ada.refused("limit_exceeded", "flamegraph", { query: { filter } });
    }
  });
});

test("lamella filter completes with the values of the server's data", async () => {
  const env = { PATH: process.env.PATH, LAMELLA_URL: `${rig.stack.url}/t/ada`, LAMELLA_TOKEN: ada.token };
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), "filter", 'host.name == "no', "--complete", "end"], { env });
  expect(stdout.split("\n").slice(0, 4)).toEqual(["Expected a quoted value; typed so far: no", "samples  value", '      3  "node-7"', '      1  "node-8"']);
});
