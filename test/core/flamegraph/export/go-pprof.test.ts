// The pprof export read by pprof itself: `go tool pprof` lists it, filters it by labels, and writes it again as it was.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { type PprofProfile, pprofProfile } from "#core/trace/pprof/pprof-message.ts";
import { decodeMessage } from "#core/trace/protobuf-message.ts";
import { drawn, exported, exportedGzip, hostileNames, largeProfile } from "#test/rig/export-profiles.ts";

const go = ["go", "/usr/local/go/bin/go"].find((path) => spawnSync(path, ["version"]).status === 0);
if (go === undefined) console.log("go is not installed: the tests that read exports with `go tool pprof` will skip");

const folder = mkdtempSync(join(tmpdir(), "lamella-pprof-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (profile: StackProfile) => {
  const path = join(folder, "gpu.pb.gz");
  writeFileSync(path, exportedGzip("pprof", profile));
  return path;
};

function pprof(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(go!, ["tool", "pprof", ...args], { encoding: "utf8", env: { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" } });
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/malformed|not available/i)]);
  return stdout;
}

describe.skipIf(go === undefined)("go tool pprof", () => {
  // Newer Go builds the tool when it is first asked for.
  beforeAll(() => void spawnSync(go!, ["tool", "pprof", "-h"]), 600_000);

  test("-top shows GPU time under whole C++ names, and launches as the other sample type", () => {
    const path = file(drawn);
    const top = pprof("-top", "-unit=ms", path).split("\n");
    expect(top.slice(0, 12)).toEqual([
      "File: lamella", "lamella profile type: cuda", "GPU time of tiny.json", "Filter: none.", "Type: cuda", "Time: 2023-11-14 22:13:20 UTC", "Duration: 5s, Total samples = 12ms ( 0.24%)",
      "Showing nodes accounting for 12ms, 100% of 12ms total", "Dropped 2 nodes (cum <= 0.06ms)", "      flat  flat%   sum%        cum   cum%",
      "      10ms 83.33% 83.33%       10ms 83.33%  void gemm<float, 4>(int*)", "       2ms 16.67%   100%        2ms 16.67%  norm",
    ]);
    expect(pprof("-top", "-sample_index=launches", path)).toMatch(/ 4 36\.36% .*norm\n/);
  });

  test("labels find the stacks of a module, and of a kind", () => {
    const path = file(drawn);
    expect(pprof("-tags", path)).toMatch(/kind: Total 12ms[^]*12ms \(\s*100%\): gpu_kernel[^]*module: Total 12ms[^]*12ms \(\s*100%\): h\.0/);
    expect(pprof("-traces", "-tagfocus", "kind=native", path)).toMatch(/kind: {2}native\n +5ns {3}load\n +serve/);
  });

  test("-raw lists every stack with both values, and the line a function begins at", () => {
    const raw = pprof("-raw", file(drawn));
    expect(raw).toContain("Samples:\ncuda/nanoseconds[dflt] launches/count\n          1          1: 8 \n   10000000          1: 5 4 3 2 1 \n                kind:[gpu_kernel] module:[h.0]\n    2000001          4: 6 4 3 2 1 ");
    expect(raw).toContain('M=1 serve serve.py:12:0 s=12(lamella:{"kind":"python","file":"serve.py","line":12})');
  });

  test.each<[string, StackProfile]>([
    ["the drawn profile", drawn],
    ["hostile names", { profileType: "cuda", frames: hostileNames.map((name) => ({ ...drawn.frames[2]!, name, file: name, mapping: `/${name}`, modulePath: name })), stacks: hostileNames.map((_, frame) => ({ frames: [frame, 0], value: BigInt(frame + 1), count: 1n })) }],
    ["values up to 2^64 − 1", { ...drawn, stacks: drawn.stacks.map((stack, i) => ({ ...stack, value: 2n ** 64n - BigInt(i + 1) })) }],
  ])("-proto writes %s again as it was", (_, profile) => {
    const again = join(folder, "again.pb.gz");
    pprof("-proto", "-output", again, file(profile));
    const read = (bytes: Uint8Array) => sampleSums(decodeMessage<PprofProfile>(bytes, pprofProfile));
    const [ours, theirs] = [read(exported("pprof", profile)), read(gunzipSync(readFileSync(again)))];
    expect([theirs.size, [...ours].filter(([stack, sum]) => theirs.get(stack)?.value !== sum.value || theirs.get(stack)?.count !== sum.count)]).toEqual([ours.size, []]);
    expect([...ours.values()].reduce((all, { value }) => all + value, 0n)).toBe(profile.stacks.reduce((all, { value }) => all + value, 0n));
  });

  test("20,000 stacks have the sum they had", () => {
    const profile = largeProfile(20_000);
    const sum = profile.stacks.reduce((all, { value }) => all + value, 0n);
    expect(pprof("-top", "-unit=ns", "-nodecount=1", file(profile))).toContain(`Total samples = ${sum}ns`);
  }, 120_000);
});

// Values by stack, a stack being what its functions say, with its labels.
function sampleSums(profile: PprofProfile): Map<string, { value: bigint; count: bigint }> {
  const text = (index: number | bigint) => profile.stringTable[Number(index)]!;
  const functions = new Map(profile.function.map(({ id, name, systemName, file: source, startLine }) => [id, [text(name), text(systemName), text(source), startLine]]));
  const mappings = new Map(profile.mapping.map((one) => [one.id, text(one.file)]));
  const locations = new Map(profile.location.map(({ id, mappingId, line }) => [id, JSON.stringify([mappings.get(mappingId), line.map((one) => [functions.get(one.functionId), one.line])])]));
  const sums = new Map<string, { value: bigint; count: bigint }>();
  for (const { locationId, value, label } of profile.sample) {
    const key = [...locationId.map((id) => locations.get(id)!), ...label.map(({ key: name, str }) => `${text(name)}=${text(str)}`).sort()].join("\n");
    const before = sums.get(key) ?? { value: 0n, count: 0n };
    sums.set(key, { value: before.value + BigInt(value[0]!), count: before.count + BigInt(value[1]!) });
  }
  return sums;
}
