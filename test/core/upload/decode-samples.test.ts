import { fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SamplesUploadSchema } from "#schema/gen/lamella/v1/samples_pb.ts";
import { limits } from "#schema/limits.ts";
import { checkTimes, decodeSamples } from "#core/upload/decode-samples.ts";
import { baseTimeS, encodeUpload, labelColumns, randomUpload, smallUpload, type Upload } from "#test/rig/samples-uploads.ts";
import { content, fixed32, message, number, packed, startGroup, text, unpacked, zigzag } from "#test/rig/wire-writer.ts";

// What a decoder says the upload holds, as plain arrays with empty columns spelled out as zeros.
type Plain = Record<string, unknown>;
const filled = <T extends number | bigint>(column: ArrayLike<T>, rows: number, zero: T): T[] => (column.length === 0 ? new Array<T>(rows).fill(zero) : Array.from(column));

function plainOf(bytes: Uint8Array): Plain {
  const { agentVersion, source, executionId, part, parts, baseTimeS: base, strings, frames, stacks, contexts, samples } = fromBinary(SamplesUploadSchema, bytes);
  const columns = (table: object | undefined, names: readonly string[]): [Record<string, number[]>, number] => {
    const all = Object.fromEntries(names.map((name) => [name, ((table as Record<string, number[]>) ?? {})[name] ?? []]));
    return [all, Math.max(0, ...Object.values(all).map((column) => column.length))];
  };
  const table = (message: object | undefined, names: readonly string[]) => {
    const [all, rows] = columns(message, names);
    return { rows, ...Object.fromEntries(names.map((name) => [name, filled(all[name]!, rows, 0)])) };
  };
  const rows = Math.max(0, ...[samples?.stack, samples?.context, samples?.timeS, samples?.value, samples?.count, samples?.step].map((column) => column?.length ?? 0));
  return {
    agentVersion, source, executionId, part, parts, baseTimeS: Number(base), strings,
    frames: table(frames, ["kind", "name", "file", "line", "mapping", "modulePath", "moduleClass", "modelKey"]),
    stacks: { ...table(stacks, ["depth"]), frame: stacks?.frame ?? [] },
    contexts: { ...table(contexts, ["profileType", ...labelColumns, "tagCount"]), tag: contexts?.tag ?? [] },
    samples: {
      rows, stack: filled(samples?.stack ?? [], rows, 0), context: filled(samples?.context ?? [], rows, 0), timeS: filled(samples?.timeS ?? [], rows, 0n).map(Number),
      value: filled(samples?.value ?? [], rows, 0n), count: filled(samples?.count ?? [], rows, 0), step: filled(samples?.step ?? [], rows, 0),
    },
  };
}

function plain(value: unknown): Plain {
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, ArrayBuffer.isView(one) ? Array.from(one as unknown as ArrayLike<number>) : typeof one === "object" && !Array.isArray(one) ? plain(one) : one]));
}

function decoded(bytes: Uint8Array): Plain {
  const result = decodeSamples(bytes);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.detail}`);
  return plain(result.value);
}

const problem = (bytes: Uint8Array): string => {
  const result = decodeSamples(bytes);
  return result.ok ? "accepted" : `${result.error.code}: ${result.error.detail}`;
};

describe("valid uploads", () => {
  test("the small one, column by column", () => {
    const upload = smallUpload();
    expect(decoded(encodeUpload(upload))).toMatchObject({
      source: 1, baseTimeS, strings: upload.strings,
      frames: { rows: 3, kind: [0, 6, 5], file: [0, 0, 0], line: [0, 312, 0], modelKey: [0, 4, 0] },
      stacks: { rows: 3, depth: [0, 2, 1], frame: [1, 2, 1] },
      contexts: { rows: 2, profileType: [0, 1], hostName: [0, 7], threadName: [0, 0], tagCount: [0, 2], tag: [8, 9] },
      samples: { rows: 3, stack: [1, 1, 2], timeS: [0, -30, 12], value: [18_432n, 600n, 2n ** 48n], count: [3, 1, 0], step: [0, 0, 0] },
    });
  });

  test("random ones decode to what the generated decoder reads", () => {
    fc.assert(fc.property(randomUpload, (upload) => {
      const bytes = encodeUpload(upload);
      expect(decoded(bytes)).toEqual(plainOf(bytes));
    }), { numRuns: 300 });
  });

  test("no table at all is an upload without samples", () => {
    expect(decoded(message(number(2, 1), text(7, "")))).toMatchObject({ strings: [""], samples: { rows: 0 }, stacks: { rows: 0, frame: [] } });
  });
});

describe("encodings that mean the same", () => {
  const head = [number(2, 1), number(6, baseTimeS), text(7, ""), text(7, "main"), text(7, "node-7")];
  const frames = (write: typeof packed) => content(8, [...write(1, [0, 2]), ...write(2, [0, 1])]);
  const stacks = (write: typeof packed) => content(9, [...write(1, [0, 2]), ...write(2, [1, 1])]);
  const contexts = (write: typeof packed) => content(10, [...write(1, [0, 4]), ...write(3, [0, 2])]);
  const samples = (write: typeof packed) => content(11, [...write(1, [1, 1]), ...write(2, [1, 1]), ...write(3, [zigzag(-5), zigzag(300)]), ...write(4, [2n ** 48n, 7n]), ...write(5, [1, 2])]);
  const reference = message(...head, frames(packed), stacks(packed), contexts(packed), samples(packed));

  const same: [string, Uint8Array][] = [
    ["unpacked columns", message(...head, frames(unpacked), stacks(unpacked), contexts(unpacked), samples(unpacked))],
    ["tables in pieces, in between one another", message(
      content(9, packed(1, [0])), content(8, packed(1, [0, 2])), content(11, []), ...head, content(9, [...unpacked(1, [2]), ...packed(2, [1])]), content(8, packed(2, [0, 1])),
      contexts(unpacked), content(9, unpacked(2, [1])), samples(packed),
    )],
    ["unknown fields, here and in tables", message(
      fixed32(100), ...head, content(8, [...packed(1, [0, 2]), ...fixed32(9), ...packed(2, [0, 1]), ...text(3_000, "new")]), stacks(packed), contexts(packed), samples(packed), number(99, 2n ** 64n - 1n),
    )],
    ["single fields twice: the last one counts", message(number(2, 3), number(6, 1), ...head, frames(packed), stacks(packed), contexts(packed), samples(packed), text(3, "x"), text(3, ""))],
    ["empty packed columns", message(...head, content(8, [...packed(1, [0, 2]), ...packed(2, [0, 1]), ...packed(3, []), ...packed(8, [])]), stacks(packed), contexts(packed), samples(packed))],
  ];
  test.each(same)("%s", (_name, bytes) => {
    expect(decoded(bytes)).toEqual(decoded(reference));
    expect(decoded(bytes)).toEqual(plainOf(bytes));
  });
  test("their values", () => {
    expect(decoded(reference)).toMatchObject({ samples: { timeS: [-5, 300], value: [2n ** 48n, 7n], step: [0, 0] } });
  });
});

const long = (bytes: number) => "x".repeat(bytes);

// One rule of samples.proto a line, broken once in the small upload.
describe("rules", () => {
  const cases: [string, (upload: Upload) => void, string][] = [
    ["source is known", (u) => (u.source = 0), "source is 0; 1 live, 2 import and 3 walk exist"],
    ["source is known, above", (u) => (u.source = 4), "source is 4; 1 live, 2 import and 3 walk exist"],
    ["an execution id is 64 hex digits", (u) => Object.assign(u, { executionId: "AB".repeat(32), part: 1, parts: 1 }), "execution_id is 64 hex digits, or empty for live samples"],
    ["live samples have no parts", (u) => Object.assign(u, { part: 1, parts: 1 }), "part 1 of 1: an execution has parts 1…n, live samples have 0 of 0"],
    ["live samples have no part", (u) => (u.part = 1), "part 1 of 0: an execution has parts 1…n, live samples have 0 of 0"],
    ["an execution has parts", (u) => (u.executionId = "ab".repeat(32)), "part 0 of 0: an execution has parts 1…n, live samples have 0 of 0"],
    ["parts count from 1", (u) => Object.assign(u, { executionId: "ab".repeat(32), parts: 2 }), "part 0 of 2: an execution has parts 1…n, live samples have 0 of 0"],
    ["a part is one of them", (u) => Object.assign(u, { executionId: "ab".repeat(32), part: 3, parts: 2 }), "part 3 of 2: an execution has parts 1…n, live samples have 0 of 0"],
    ["strings[0] is empty", (u) => (u.strings[0] = "x"), 'strings[0] must be ""; index 0 means "not set"'],
    ["strings[0] exists", (u) => Object.assign(u, { strings: [] }), 'strings[0] must be ""; index 0 means "not set"'],

    ["columns of frames have one length", (u) => (u.frames.line = [0, 312]), "frames.line has 2 rows where the table has 3; all columns of a table have the same length or are empty"],
    ["a frame kind is known", (u) => (u.frames.kind[2] = 12), "frames.kind row 2 points at 12 of 12 frame kinds"],
    ["a frame has a kind", (u) => (u.frames.kind[2] = 0), 'frames row 2 has no kind; only row 0 means "not set"'],
    ["a frame has a name", (u) => (u.frames.name[1] = 0), "frames row 1 has no name"],
    ["frames.name points at a string", (u) => (u.frames.name[1] = 10), "frames.name row 1 points at 10 of 10 strings"],
    ["frames.file points at a string", (u) => (u.frames.file = [0, 0, 10]), "frames.file row 2 points at 10 of 10 strings"],
    ["frames.mapping points at a string", (u) => (u.frames.mapping[2] = 4_294_967_295), "frames.mapping row 2 points at 4294967295 of 10 strings"],
    ["frames.module_path points at a string", (u) => (u.frames.modulePath[1] = 10), "frames.module_path row 1 points at 10 of 10 strings"],
    ["frames.module_class points at a string", (u) => (u.frames.moduleClass[1] = 10), "frames.module_class row 1 points at 10 of 10 strings"],
    ["frames.model_key points at a string", (u) => (u.frames.modelKey[1] = 10), "frames.model_key row 1 points at 10 of 10 strings"],
    ["a model key is 32 hex digits", (u) => (u.frames.modelKey[1] = 1), 'frames.model_key "Qwen3Attention self_attn" is not 32 hex digits'],
    ["only layers have a module path", (u) => (u.frames.modulePath[2] = 2), "frames row 2 has a module_path, module_class or model_key and is no layer (kind 5); only layer frames have them"],
    ["only layers have a module class", (u) => (u.frames.moduleClass[2] = 3), "frames row 2 has a module_path, module_class or model_key and is no layer (kind 5); only layer frames have them"],
    ["only layers have a model key", (u) => (u.frames.modelKey[2] = 4), "frames row 2 has a module_path, module_class or model_key and is no layer (kind 5); only layer frames have them"],
    ["frames row 0 is not set", (u) => (u.frames.line[0] = 7), 'frames.line row 0 is 7; index 0 means "not set"'],
    ["frames row 0 has no kind", (u) => (u.frames.kind[0] = 6), 'frames.kind row 0 is 6; index 0 means "not set"'],
    ["frames row 0 has no module path", (u) => (u.frames.modulePath[0] = 2), 'frames.module_path row 0 is 2; index 0 means "not set"'],

    ["a stack's frame exists", (u) => (u.stacks.frame[1] = 3), "stacks.frame row 1 points at 3 of 3 frames"],
    ["a stack's frame is set", (u) => (u.stacks.frame[1] = 0), 'stacks.frame[1] is 0; index 0 means "not set"'],
    ["a stack has frames", (u) => (u.stacks.depth = [0, 3, 0]), 'stacks row 2 is empty; only row 0 means "not set"'],
    ["stack row 0 has none", (u) => (u.stacks.depth = [1, 1, 1]), 'stacks row 0 has 1 frames; index 0 means "not set"'],
    ["depths add up, below", (u) => (u.stacks.depth = [0, 1, 1]), "stacks.depth adds up to 2 frames, stacks.frame has 3"],
    ["depths add up, above", (u) => (u.stacks.depth = [0, 2, 2]), "stacks.depth adds up to 4 frames, stacks.frame has 3"],

    ["columns of contexts have one length", (u) => (u.contexts.hostName = [0, 7, 7]), "contexts.profile_type has 2 rows where the table has 3; all columns of a table have the same length or are empty"],
    ["a profile type is known", (u) => (u.contexts.profileType[1] = 8), "contexts.profile_type row 1 points at 8 of 8 profile types"],
    ["a context has a profile type", (u) => (u.contexts.profileType[1] = 0), "contexts row 1 has no profile type"],
    ["contexts.host_name points at a string", (u) => (u.contexts.hostName[1] = 10), "contexts.host_name row 1 points at 10 of 10 strings"],
    ["contexts.k8s_pod points at a string", (u) => (u.contexts.k8sPod = [0, 10]), "contexts.k8s_pod row 1 points at 10 of 10 strings"],
    ["contexts row 0 is not set", (u) => (u.contexts.hostName[0] = 7), 'contexts.host_name row 0 is 7; index 0 means "not set"'],
    ["contexts row 0 has no tags", (u) => (u.contexts.tagCount = [1, 1]), 'contexts.tag_count row 0 is 1; index 0 means "not set"'],
    ["a tag points at a string", (u) => (u.contexts.tag[1] = 10), "contexts.tag row 1 points at 10 of 10 strings"],
    ["a tag is set", (u) => (u.contexts.tag[0] = 0), 'contexts.tag[0] is 0; index 0 means "not set"'],
    ["tag counts add up", (u) => (u.contexts.tagCount = [0, 1]), "contexts.tag_count adds up to 1 tags, contexts.tag has 2"],

    ["columns of samples have one length", (u) => (u.samples.value = [1n]), "samples.value has 1 rows where the table has 3; all columns of a table have the same length or are empty"],
    ["a sample's stack exists", (u) => (u.samples.stack[1] = 3), "samples.stack row 1 points at 3 of 3 stacks"],
    ["a sample has a stack", (u) => (u.samples.stack[1] = 0), "samples row 1 has no stack"],
    ["a sample's context exists", (u) => (u.samples.context[2] = 2), "samples.context row 2 points at 2 of 2 contexts"],
    ["a sample has a context", (u) => (u.samples.context[2] = 0), "samples row 2 has no context"],
    ["a sample's time fits 32 bits", (u) => (u.samples.timeS[0] = 2n ** 31n), "not a SamplesUpload: a number has more than 32 bits at byte"],
  ];
  test.each(cases)("%s", (_name, breakRule, expected) => {
    const upload = smallUpload();
    breakRule(upload);
    const found = problem(encodeUpload(upload));
    if (expected.endsWith("at byte")) expect(found).toMatch(new RegExp(`^body_undecodable: ${expected} \\d+$`));
    else expect(found).toBe(`body_undecodable: ${expected}`);
  });

  const raw: [string, Uint8Array, string][] = [
    ["text is text", message(number(2, 1), number(7, 1)), "text is expected here at byte 3"],
    ["text is UTF-8", message(number(2, 1), content(7, [0xc3, 0x28])), "text is not UTF-8 at byte 4"],
    ["a number is a number", message(text(2, "1")), "a number is expected here at byte 2"],
    ["a table is a message", message(number(8, 1)), "frames is not a message at byte 1"],
    ["a column is numbers", message(content(9, fixed32(1))), "a number is expected here at byte 3"],
    ["a group is no table", message(startGroup(8)), "wire type 3 at byte 0"],
    ["a table ends inside the upload", message([0x42, 0x05, 0x0a, 0x01]), "a field of 5 bytes runs past the end at byte 0"],
    ["a column ends inside its table", message(content(8, [0x0a, 0x05, 0x01]), text(7, "more than enough bytes follow")), "a field of 5 bytes runs past the end at byte 2"],
  ];
  test.each(raw)("%s", (_name, bytes, expected) => expect(problem(bytes)).toBe(`body_undecodable: not a SamplesUpload: ${expected}`));
});

describe("bounds", () => {
  const repeat = <T>(value: T, times: number) => new Array<T>(times).fill(value);
  const over = (what: string, limit: keyof typeof limits) => `limit_exceeded: ${what}: ${limits[limit] + 1} is over the bound of ${limits[limit]} (${limit}); send it in more, smaller uploads`;
  const fill = (upload: Upload, change: (upload: Upload) => void) => (change(upload), problem(encodeUpload(upload)));

  // Exactly the bound is accepted, one more is not.
  const cases: [string, (upload: Upload, n: number) => void, number, string][] = [
    ["samples", (u, n) => (u.samples = { stack: repeat(1, n), context: repeat(1, n), timeS: [], value: [], count: [], step: [] }), limits.samplesPerUploadMax, over("samples, rows", "samplesPerUploadMax")],
    ["stacks", (u, n) => (u.stacks = { depth: [0, 2, 1, ...repeat(1, n - 3)], frame: [1, 2, 1, ...repeat(1, n - 3)] }), limits.stacksPerUploadMax, over("stacks, rows", "stacksPerUploadMax")],
    ["frames", (u, n) => (u.frames = { kind: [0, ...repeat(5, n - 1)], name: [0, ...repeat(1, n - 1)], file: [], line: [], mapping: [], modulePath: [], moduleClass: [], modelKey: [] }), limits.framesPerUploadMax, over("frames, rows", "framesPerUploadMax")],
    ["contexts", (u, n) => ((u.contexts = { ...smallUpload().contexts, profileType: [0, ...repeat(1, n - 1)] }), Object.assign(u.contexts, { hostName: [], tagCount: [], tag: [] })), limits.contextsPerUploadMax, over("contexts, rows", "contextsPerUploadMax")],
    ["strings", (u, n) => (u.strings = [...u.strings, ...repeat("s", n - u.strings.length)]), limits.stringsPerUploadMax, over("strings", "stringsPerUploadMax")],
    ["frames of one stack", (u, n) => (u.stacks = { depth: [0, n, 1], frame: repeat(1, n + 1) }), limits.stackDepthMax, over("stacks row 1, depth", "stackDepthMax")],
    ["bytes of a name", (u, n) => (u.strings[1] = long(n)), limits.nameBytesMax, over("strings[1], bytes", "nameBytesMax")],
    ["bytes of a label", (u, n) => (u.strings[7] = long(n)), limits.labelBytesMax, over(`contexts.host_name "${long(40)}…", bytes`, "labelBytesMax")],
    ["bytes of a tag", (u, n) => (u.strings[8] = long(n)), limits.labelBytesMax, over(`contexts.tag "${long(40)}…", bytes`, "labelBytesMax")],
    ["bytes, not characters, of a label", (u, n) => (u.strings[7] = `${"é".repeat(127)}${long(n - 254)}`), limits.labelBytesMax, over(`contexts.host_name "${"é".repeat(40)}…", bytes`, "labelBytesMax")],
    ["bytes of the agent's version", (u, n) => (u.agentVersion = long(n)), limits.labelBytesMax, over("agent_version, bytes", "labelBytesMax")],
    ["tags of a context", (u, n) => Object.assign(u.contexts, { profileType: [0, 1, 1], hostName: [], tagCount: [0, n, 1], tag: repeat(8, n + 1) }), limits.userTagsMax, over("contexts row 1, tags", "userTagsMax")],
    ["the value of a sample", (u, n) => (u.samples.value = [1n, BigInt(n), 1n]), limits.sampleValueMax, over("samples.value row 1", "sampleValueMax")],
    ["parts", (u, n) => Object.assign(u, { executionId: "ab".repeat(32), part: 1, parts: n }), limits.partsPerExecutionMax, over("parts", "partsPerExecutionMax")],
  ];
  test.each(cases)("%s", (_name, change, bound, expected) => {
    expect(fill(smallUpload(), (upload) => change(upload, bound))).toBe("accepted");
    expect(fill(smallUpload(), (upload) => change(upload, bound + 1))).toBe(expected);
  });

  test("frame references", () => {
    const stacks = (references: number): Upload["stacks"] => {
      const whole = Math.floor(references / 1_000);
      return { depth: [0, ...repeat(1_000, whole), ...(references % 1_000 === 0 ? [] : [references % 1_000])], frame: repeat(1, references) };
    };
    expect(fill(smallUpload(), (upload) => (upload.stacks = stacks(limits.frameReferencesMax)))).toBe("accepted");
    expect(fill(smallUpload(), (upload) => (upload.stacks = stacks(limits.frameReferencesMax + 1)))).toBe(over("stacks.frame, references", "frameReferencesMax"));
  });

  test("tags of all contexts together are counted before they are decoded", () => {
    expect(fill(smallUpload(), (upload) => Object.assign(upload.contexts, { tag: repeat(8, 65) }))).toBe(
      "limit_exceeded: contexts.tag, tags of all rows: 65 is over the bound of 64 (userTagsMax); send it in more, smaller uploads",
    );
  });

  test("times, judged against the time of receipt", () => {
    const upload = decodeSamples(encodeUpload(smallUpload()));
    if (!upload.ok) throw new Error(upload.error.detail);
    const [oldest, newest] = [baseTimeS - 30, baseTimeS + 12];
    expect(checkTimes(upload.value, oldest + 7 * 86_400)).toBeNull();
    expect(checkTimes(upload.value, newest - 600)).toBeNull();
    expect(checkTimes(upload.value, oldest + 7 * 86_400 + 1)).toEqual({
      code: "limit_exceeded", detail: `samples row 1 is from Unix second ${oldest}, older than 7 days; check the clock, or import old files with \`lamella import\``,
    });
    expect(checkTimes(upload.value, newest - 601)).toEqual({
      code: "limit_exceeded", detail: `samples row 2 is from Unix second ${newest}, more than 600 s in the future; check the clock, or import old files with \`lamella import\``,
    });
  });
});

// Damage to real uploads: whatever the bytes, the answer is a problem or an upload that the generated decoder reads the same way.
describe("damaged uploads", () => {
  type Damage = (bytes: Uint8Array, at: number, value: number) => Uint8Array;
  const splice = (bytes: Uint8Array, at: number, remove: number, insert: ArrayLike<number>) => Uint8Array.from([...bytes.subarray(0, at), ...Array.from(insert), ...bytes.subarray(at + remove)]);
  const damages: Record<string, Damage> = {
    "one bit flipped": (bytes, at, value) => bytes.map((byte, i) => (i === at ? byte ^ (1 << value % 8) : byte)),
    "one byte replaced": (bytes, at, value) => splice(bytes, at, 1, [value]),
    "cut off": (bytes, at) => bytes.slice(0, at),
    "one byte removed": (bytes, at) => splice(bytes, at, 1, []),
    "one byte more": (bytes, at, value) => splice(bytes, at, 0, [value]),
    "a length overrun": (bytes, at) => splice(bytes, at, 1, [0xff, 0xff, 0xff, 0x7f]),
    "a number of ten bytes": (bytes, at, value) => splice(bytes, at, 1, [...new Array<number>(9).fill(0x80 | value), 0x01]),
    "a piece twice": (bytes, at, value) => splice(bytes, at, 0, bytes.subarray(at, at + value)),
    "a piece elsewhere": (bytes, at, value) => splice(bytes, at, 0, bytes.subarray(value, value + 40)),
    "a group": (bytes, at, value) => splice(bytes, at, 0, startGroup(1 + (value % 16))),
    "a thousand groups": (bytes, at) => splice(bytes, at, 0, new Array<number>(1_000).fill(0x43)),
    "tables in tables": (bytes, at) => splice(bytes, at, 0, Array.from({ length: 30 }).reduce<number[]>((inner) => content(8, inner), [])),
    "an unknown field": (bytes, at) => splice(bytes, at, 0, text(77, "from the future")),
    "a known field again": (bytes, at, value) => splice(bytes, at, 0, number(1 + (value % 11), value)),
    "zeros": (bytes, at, value) => splice(bytes, at, value, new Uint8Array(value)),
  };

  test.each(Object.keys(damages))("%s", (name) => {
    fc.assert(fc.property(randomUpload, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255), (upload, place, value) => {
      const bytes = encodeUpload(upload);
      const damaged = damages[name]!(bytes, Math.floor(place * bytes.length), value);
      const result = decodeSamples(damaged);
      if (result.ok) expect(plain(result.value)).toEqual(plainOf(damaged));
      else {
        expect(["body_undecodable", "limit_exceeded"]).toContain(result.error.code);
        expect(result.error.detail).not.toBe("");
      }
    }), { numRuns: 150 });
  });

  test("random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const result = decodeSamples(bytes);
      expect(result.ok ? result.value.strings[0] : result.error.detail.length > 0).toBe(result.ok ? "" : true);
    }), { numRuns: 500 });
  });
});
