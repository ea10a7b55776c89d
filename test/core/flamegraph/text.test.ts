import fc from "fast-check";
import { expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { foldedText } from "#core/flamegraph/folded.ts";
import { durationText, shareText } from "#core/quantity.ts";
import { parseSearch } from "#core/flamegraph/search.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { flamegraphText } from "#core/flamegraph/text.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { drawProfile, foldedRowsOf, randomProfile } from "#test/rig/stacks.ts";

const live = {
  profileType: "cuda", execution: null, executionReason: null, simulated: false,
  range: { from: "2026-11-29T13:00:00Z", to: "2026-11-29T14:00:00Z" }, ingestedThrough: "2026-11-29T13:59:00Z",
} as const;

function graphOf(profile: StackProfile, nodesMax = 1e6, rest: Partial<Flamegraph> = {}): Flamegraph {
  const folded = { ...foldedRowsOf(profile, nodesMax), samples: 12n };
  return { ...live, ...flamegraphColumns(folded, "cuda"), ...rest };
}

const profile = drawProfile(`
  serve                     serve                     serve                     load
  Block h.0:layer           Block h.0:layer           Block h.1:layer           250
  Attention attn:layer      Mlp mlp:layer             Attention attn:layer
  flash_fwd:gpu_kernel      gemm:gpu_kernel           flash_fwd:gpu_kernel
  45430000/24               1200000/2                 900/1
`);

test("the whole tree, with its figures", () => {
  expect(flamegraphText(graphOf(profile, 1e6, { withoutLayer: 250 }))).toBe(`\
GPU time: 46.63 ms in 277 launches, 12 samples
Without a model layer: 250 ns (<0.1 %)
Live samples from 2026-11-29T13:00:00Z to 2026-11-29T14:00:00Z; complete through 2026-11-29T13:59:00Z

    time    share  calls  kind        frame
46.63 ms  100.0 %    277              all
46.63 ms  100.0 %     27  python        serve
46.63 ms  100.0 %     26  layer           Block h.0
45.43 ms   97.4 %     24  layer             Attention attn
45.43 ms   97.4 %     24  gpu_kernel          flash_fwd
 1.20 ms    2.6 %      2  layer             Mlp mlp
 1.20 ms    2.6 %      2  gpu_kernel          gemm
  900 ns   <0.1 %      1  layer           Block h.1
  900 ns   <0.1 %      1  layer             Attention attn
  900 ns   <0.1 %      1  gpu_kernel          flash_fwd
  250 ns   <0.1 %    250  python        load
`);
});

test("a search prints only the paths to a match and stops there, however small the match", () => {
  const text = flamegraphText(graphOf(profile), { search: parseSearch("attention"), underShare: 0.5 });
  expect(text.split("\n").slice(3)).toEqual(`\
Search attention: 2 frames, 45.43 ms, 97.4 % of the total, nested matches counted once; only the paths to a match are shown

    time    share  calls  kind    frame
46.63 ms  100.0 %    277          all
46.63 ms  100.0 %     27  python    serve
46.63 ms  100.0 %     26  layer       Block h.0
45.43 ms   97.4 %     24  layer         Attention attn
  900 ns   <0.1 %      1  layer       Block h.1
  900 ns   <0.1 %      1  layer         Attention attn
`.split("\n"));
});

test("a search without a match says so and prints no tree", () => {
  expect(flamegraphText(graphOf(profile), { search: parseSearch("conv") }).split("\n").slice(3)).toEqual(["Search conv: nothing matches", ""]);
});

test("small children are one line that says how many frames it stands for", () => {
  const text = flamegraphText(graphOf(profile), { underShare: 0.001 });
  expect(text.split("\n").slice(-3)).toEqual([
    "  900 ns   <0.1 %      1                  (… 3 frames under 0.1 %)",
    "  250 ns   <0.1 %    250                (… 1 frame under 0.1 %)",
    "",
  ]);
});

test("equal siblings stay apart: 24 layers are 24 lines", () => {
  const frames = Array.from({ length: 24 }, (_, layer) => drawProfile(`Qwen2DecoderLayer layers.${layer}@layers.${layer}:layer\n1`).frames[0]!);
  const stacks = frames.map((_frame, number) => ({ frames: [number], value: 1_000n, count: 1n }));
  const text = flamegraphText(graphOf({ profileType: "cuda", frames, stacks }), { underShare: 0.001 });
  expect(text.match(/Qwen2DecoderLayer layers\.\d+/g)).toHaveLength(24);
});

test("a cut tree, simulated data and the execution shown are named in the head", () => {
  const execution = {
    id: "ab".repeat(32), name: "trace.json.gz", device: "NVIDIA H100", profileType: "cuda", pathSource: "inferred", modelName: "", modelKey: "",
    recordedAt: null, importedAt: "2026-11-29T13:30:00Z", durationNs: 1, totalValue: 1, moduleValue: 1, kernels: 1, events: 1, gaps: [], notes: [],
    parts: { stored: 1, of: 1 }, complete: true,
  } as const satisfies Flamegraph["execution"];
  const text = flamegraphText(graphOf(profile, 4, { simulated: true, execution, executionReason: "no_live_samples" }));
  expect(text).toContain("Execution abababababab (the latest; the range has no live samples): trace.json.gz on NVIDIA H100, imported 2026-");
  expect(text).toContain("; module paths inferred: Class[n]\n");
  expect(text).toContain("Simulated data: no real device was measured.");
  expect(text).toContain('Cut: 6 small nodes, 1.20 ms (2.6 %), in "(other)"; ask for more with --max-nodes');
  expect(text).toMatch(/\(other\)/);
});

test("an empty selection says that it is empty, and how far the data reaches", () => {
  const text = flamegraphText(graphOf({ ...profile, stacks: [] }, 1, { samples: 0, ingestedThrough: null }));
  expect(text.split("\n").slice(2)).toEqual([
    "Live samples from 2026-11-29T13:00:00Z to 2026-11-29T14:00:00Z; nothing was ever ingested", "No samples are stored for this selection.", "",
  ]);
});

test("control characters of a profiled program never reach the terminal", () => {
  const evil = drawProfile("evil\u001b[2J\u202e\n5");
  expect(flamegraphText(graphOf(evil))).toContain("evil\\u{1b}[2J\\u{202e}");
});

test("folded lines carry every value, once", () => {
  expect(foldedText(graphOf(drawProfile("a    a  b;c\nd e  2  1\n5"))).split("\n")).toEqual(["a 2", "a;d e 5", "b:c 1", ""]);
  fc.assert(fc.property(randomProfile, fc.nat(10), (one, nodesMax) => {
    const lines = foldedText(graphOf(one, nodesMax)).split("\n").slice(0, -1);
    const sum = lines.reduce((all, line) => all + BigInt(/ (\d+)$/.exec(line)![1]!), 0n);
    expect(sum).toBe(one.stacks.reduce((all, { value }) => all + value, 0n));
  }));
});

test.each([
  [0, "0 ns"], [999, "999 ns"], [1_000, "1.00 µs"], [45_430_000, "45.43 ms"], [1_234_560_000, "1,234.56 ms"], [12_345_000_000, "12.35 s"], [7.2e12, "2.00 h"],
])("%d ns reads %s", (ns, text) => {
  expect(durationText(ns)).toBe(text);
});

test.each([[0, "0.0 %"], [0.0004, "<0.1 %"], [0.001, "0.1 %"], [0.699, "69.9 %"], [1, "100.0 %"]])("a share of %d reads %s", (share, text) => {
  expect(shareText(share)).toBe(text);
});
