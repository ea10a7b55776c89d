// `lamella import --no-upload` as a person runs it, without a server: several files, exit codes, JSON, and nothing of a file that could steer a terminal.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lamella-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

function lamella(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const env = { PATH: process.env.PATH, HOME: folder }; // no server is named
    execFile(process.execPath, ["--disable-warning=ExperimentalWarning", main, "import", ...args], { cwd: folder, env }, (error, stdout, stderr) => done({ code: (error as { code?: number } | null)?.code ?? 0, stdout, stderr }));
  });
}

const folded = file("stacks.folded", "main;loop 12\nmain 3\n");
const trace = file("run.trace.json.gz", gzipSync(JSON.stringify({
  deviceProperties: [{ id: 0, name: "NVIDIA H100" }],
  traceEvents: [{ ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 1, dur: 1, args: { correlation: 4 } }, { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 5, dur: 20, args: { correlation: 4, device: 0 } }],
})));
const config = file("config.json", '{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}');
const ncu = file("kernels.csv", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","gemm<1>","Memory Throughput","%","87.5"\n"0","gemm<1>","Compute (SM) Throughput","%","30"\n');

test("each file is reported, exit code 0", async () => {
  const { code, stdout, stderr } = await lamella("--no-upload", folded, trace);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("stacks.folded: read, not uploaded\n  15 samples\n");
  expect(stdout).toContain("run.trace.json.gz: read, not uploaded\n  1 kernel · 0.02 ms GPU time");
});

test("a refused file loses nothing of the others; exit code 3 and its reason", async () => {
  const { code, stdout, stderr } = await lamella("--no-upload", config, folded, file("empty", ""));
  expect(code).toBe(3);
  expect(stdout).toContain("15 samples");
  expect(stderr).toMatch(/^lamella: config\.json is refused: a model configuration; .*\nlamella: empty is refused: the file is empty\.\n$/);
});

test("a file that is not there is an error of its own, exit code 1", async () => {
  mkdirSync(join(folder, "inductor"));
  file("inductor/output_code.py", "");
  const { code, stdout, stderr } = await lamella("--no-upload", "nowhere.json", config, folded, "inductor");
  expect([code, stdout.includes("15 samples")]).toEqual([1, true]);
  expect(stderr).toContain("nowhere.json cannot be read: there is no such file.");
  expect(stderr).toContain("inductor is a debug folder of Inductor: generated code, without times.");
});

test("--json is one document, in the order of the files", async () => {
  const { code, stdout } = await lamella("--no-upload", "--json", folded, config, ncu);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject([
    { file: "stacks.folded", uploaded: false, profileType: "samples", unit: "count", totals: { value: 15 } }, { file: "config.json", error: { code: "file_refused", message: expect.stringContaining("a model configuration") } },
    { file: "kernels.csv", uploaded: false, kernels: [{ name: "gemm<1>", bottleneck: { kind: "memory bound" } }] },
  ]);
});

test("Nsight Compute's figures are a table", async () => {
  expect((await lamella("--no-upload", ncu)).stdout).toMatch(/gemm<1> +1 +87\.5 % +30\.0 % {2}memory bound \(memory 87\.5 %, compute 30\.0 % of peak: at the limit/);
});

test("a sample type that the file does not have", async () => {
  const pprof = file("p.pb", Uint8Array.from([0x0a, 4, 8, 1, 16, 2, 0x32, 0, 0x32, 3, 0x63, 0x70, 0x75, 0x32, 2, 0x6e, 0x73])); // cpu (ns), no sample
  expect((await lamella("--no-upload", pprof, "--sample-type", "wall")).stderr).toContain('it has no sample type "wall"; it has cpu (ns)');
});

test("control characters of names, labels and file names are shown, never sent to the terminal", async () => {
  const evil = "\u001b[2J\u202e\r";
  const name = file(`a${evil}.folded`, `main${evil};x 1\nbad line\n`);
  const speedscope = file("evil.json", JSON.stringify({ $schema: "speedscope", shared: { frames: [{ name: evil }] }, profiles: [{ name: evil, type: "evented", unit: "seconds", events: [{ type: "O", frame: 0, at: 1 }] }] }));
  const unit = file("unit.json", JSON.stringify({ $schema: "speedscope", shared: { frames: [] }, profiles: [{ unit: evil }] }));
  const csv = file("evil.csv", `"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","${evil}","Duration","ns","5"\n`);
  const { stdout, stderr } = await lamella("--no-upload", name, speedscope, unit, csv);
  expect(stdout + stderr).toContain("\\u{1b}[2J\\u{202e}\\u{d}");
  expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("without --no-upload a server is needed, and it is said how to get one", async () => {
  const { code, stderr } = await lamella(folded);
  expect(code).toBe(1);
  expect(stderr).toContain("No server was found");
});

test("what a message repeats of the command line cannot steer a terminal either", async () => {
  const [unreadable, unknown] = [await lamella("--no-upload", "no\u001b[2Jsuch\nfile"), await lamella("--no-upload", "--\u001b[2J", folded)];
  expect(unreadable).toEqual({ code: 1, stdout: "", stderr: "lamella: no\\u{1b}[2Jsuch\\u{a}file cannot be read: there is no such file.\n" });
  expect(unknown.stderr).toBe("error: unknown option '--\\u{1b}[2J'\n");
});

test("JSON escapes what JSON itself would leave raw: C1 controls and directions", async () => {
  const { stdout } = await lamella("--no-upload", "--json", file("c1\u009b\u202e.folded", "main;loop 1\n"));
  expect(stdout).toContain("c1\\u009b\\u202e.folded");
  expect(JSON.parse(stdout)[0].file).toBe("c1\u009b\u202e.folded");
});

test("a capture that is not there, or a folder, is told by its name, and the other files are still tried", async () => {
  for (const [capture, reason] of [["nosuch.json", "nosuch.json cannot be read: there is no such file"], [".", ". is a folder"]] as const) {
    const { code, stderr } = await lamella("--no-upload", trace, folded, "--capture", capture);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`lamella: ${reason}`)]);
    expect(stderr).not.toContain("    at ");
  }
});

test("--step of a step that is not there names those that are", async () => {
  const stepped = file("steps.json", JSON.stringify({ traceEvents: [
    { ph: "X", cat: "user_annotation", name: "ProfilerStep#6", pid: 1, tid: 1, ts: 0, dur: 50 }, { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 1, dur: 1, args: { correlation: 4 } },
    { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 5, dur: 2, args: { correlation: 4, device: 0 } },
  ] }));
  expect((await lamella("--no-upload", stepped, "--step", "99")).stderr).toBe("lamella: steps.json is refused: step 99 is not in the file; it has step 6 only.\n");
  expect((await lamella("--no-upload", stepped, "--step", "6")).stdout).toContain("1 kernel · 2.00 µs GPU time");
});

test("options of the other kind of file are named, because they change nothing", async () => {
  const run = file("run.json", '{"request_throughput": 1, "completed": 1, "duration": 1}');
  const { code, stderr } = await lamella("--no-upload", run, folded, "--tag", "env:lab", "--model-config", config);
  expect(code).toBe(1); // the configuration says no number of layers
  expect(stderr).toContain("config.json says no number of layers");
  expect(stderr).toContain("stacks.folded is a profile: --model-config changed nothing of it");
  expect(JSON.parse((await lamella("--no-upload", "--json", run, "--tag", "env:lab")).stdout)[0]).toMatchObject({ unused: ["--tag"] });
});

test("files of engine metrics are sent to `lamella metrics import`, whatever their form", async () => {
  const csv = file("smi.csv", "timestamp, name, utilization.gpu [%]\n2025/05/31 12:30:17.000, NVIDIA H100, 99 %\n");
  expect((await lamella("--no-upload", csv)).stderr).toMatch(/^lamella: smi\.csv is refused: engine metrics \(nvidia-smi over time \(CSV\)\), not a profile; `lamella metrics import FILE` stores it\.\n$/);
});
