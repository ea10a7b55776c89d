import { expect, test } from "vitest";
import { readOtlp, readOtlpJson } from "#core/trace/otlp/read-otlp.ts";
import { content, message, number, packed, text, varint } from "#test/rig/wire-writer.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

const strings = ["", "cpu", "nanoseconds", "main", "loop", "thread.name", "profile.frame.type", "/lib/libx.so", "sys_read", "samples", "count"];
const at = (word: string) => strings.indexOf(word);
const fixed64 = (field: number, value: bigint) => [...varint((field << 3) | 1), ...new Uint8Array(new BigUint64Array([value]).buffer)];
const times = (field: number, ...values: bigint[]) => content(field, new Uint8Array(new BigUint64Array(values).buffer));
const attribute = (key: string, value: string) => content(6, [...number(1, at(key)), ...content(2, text(1, value))]);
const dictionary = content(2, [
  ...content(1, []), ...content(1, [...number(1, 0x1000), ...number(3, 0x40), ...number(4, at("/lib/libx.so"))]),
  ...content(2, []), ...content(2, [...content(3, number(1, 2)), ...content(3, number(1, 1))]), ...content(2, [...number(1, 1), ...number(2, 0x1010)]), ...content(2, [...content(3, number(1, 3)), ...packed(4, [2])]),
  ...content(3, []), ...content(3, number(1, at("main"))), ...content(3, number(1, at("loop"))), ...content(3, number(1, at("sys_read"))),
  ...strings.flatMap((word) => text(5, word)),
  ...attribute("", ""), ...attribute("thread.name", "worker"), ...attribute("profile.frame.type", "kernel"),
  ...content(7, []), ...content(7, packed(1, [2, 1])), ...content(7, packed(1, [3, 1])),
]);
const profile = (kind: [string, string], ...samples: number[][]) => content(2, [...content(1, [...number(1, at(kind[0])), ...number(2, at(kind[1]))]), ...samples.flatMap((one) => content(2, one)), ...fixed64(3, 1_761_887_343_203_491_639n), ...number(4, 2_000)]);
const file = (...profiles: number[][]) => message(dictionary, content(1, content(2, profiles.flat())));
const expected = ["native:main > native:loop > native:libx.so+0x50 (/lib/libx.so) | 70 × 1", "native:main > native:loop > os_kernel:sys_read | 50 × 1"];

test.each([
  ["1.8: values in field 2, attributes in 3", [...number(1, 1), ...packed(2, [30, 40]), ...packed(3, [1])], [...number(1, 2), ...packed(2, [50]), ...packed(3, [1])]],
  ["1.10: attributes in field 2, values in 4", [...number(1, 1), ...packed(2, [1]), ...packed(4, [30, 40])], [...number(1, 2), ...packed(2, [1]), ...packed(4, [50])]],
])("schema %s", (_, first, second) => {
  const execution = accepted(readOtlp(file(profile(["cpu", "nanoseconds"], first, second))));
  expect(stackLines(execution)).toEqual(expected);
  expect(execution).toMatchObject({ profileType: "cpu", recordedAtNs: 1_761_887_343_203_491_639n, durationNs: 2_000 });
  expect(execution.notes).toEqual(["Labels of the samples, merged: thread.name = worker"]);
});

test("without values each timestamp counts one", () => {
  const samples = [[...number(1, 1), ...packed(3, [1]), ...times(5, 7n, 8n, 9n)], [...number(1, 2), ...times(5, 10n)]];
  expect(accepted(readOtlp(file(profile(["samples", "count"], ...samples))))).toMatchObject({ profileType: "samples", totals: { value: 4, kernels: 4 } });
});

test("values for timestamps are told from attributes by their number (1.8)", () => {
  expect(accepted(readOtlp(file(profile(["cpu", "nanoseconds"], [...number(1, 1), ...packed(2, [5, 6]), ...times(5, 1n, 2n)])))).totals.value).toBe(11);
});

test("of profiles that measure different things one kind is taken, and another on request", () => {
  const both = file(profile(["cpu", "nanoseconds"], [...number(1, 1), ...packed(4, [9])]), profile(["samples", "count"], [...number(1, 1), ...packed(4, [2])]));
  expect(accepted(readOtlp(both))).toMatchObject({ profileType: "cpu", totals: { value: 9 }, notes: [expect.stringContaining("1 of 2 profiles")] });
  expect(accepted(readOtlp(both, { sampleType: "samples" }))).toMatchObject({ profileType: "samples", totals: { value: 2 } });
});

const json = (lines: string, samples: string) => ({
  resourceProfiles: [{ scopeProfiles: [{ profiles: [{ sampleType: { typeStrindex: 1, unitStrindex: 2 }, timeUnixNano: "1761887343203491639", durationNano: "2000", [samples]: [{ stackIndex: 1, values: ["30", 40] }, { stackIndex: 2, values: [50] }] }] }] }],
  dictionary: {
    mappingTable: [{}, { memoryStart: "4096", fileOffset: 64, filenameStrindex: 7 }],
    locationTable: [{}, { [lines]: [{ functionIndex: 2 }, { functionIndex: 1 }] }, { mappingIndex: 1, address: "4112" }, { [lines]: [{ functionIndex: 3 }], attributeIndices: [1] }],
    functionTable: [{}, { nameStrindex: 3 }, { nameStrindex: 4 }, { nameStrindex: 8 }], stringTable: strings,
    attributeTable: [{}, { keyStrindex: 6, value: { stringValue: "kernel" } }], stackTable: [{}, { locationIndices: [2, 1] }, { locationIndices: [3, 1] }],
  },
});

test.each([["lines", "samples"], ["line", "sample"]])("JSON, with the names %s and %s", (lines, samples) => {
  expect(stackLines(accepted(readOtlpJson(bytesOf(JSON.stringify(json(lines, samples))))))).toEqual(expected);
});

test("drafts before 1.8 are refused by name, and so is what is cut off", () => {
  const draft = file(content(2, [...content(1, number(1, 1)), ...packed(3, [0, 1])])); // location_indices
  for (const one of [readOtlp(draft), readOtlpJson(bytesOf('{"resourceProfiles":[],"dictionary":{}}'))]) expect(one).toMatchObject({ ok: false, error: { reason: expect.stringContaining("before version 1.8") } });
  expect(readOtlp(file(profile(["cpu", "nanoseconds"])).slice(0, 40))).toMatchObject({ ok: false, error: { reason: expect.stringContaining("cannot be read on") } });
  expect(readOtlpJson(bytesOf('{"resourceProfiles":[{'))).toMatchObject({ ok: false, error: { reason: expect.stringContaining("cannot be parsed") } });
});
