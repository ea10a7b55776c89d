// Nsight Systems' SQLite export → Execution: GPU time of kernels below thread → NVTX ranges → API call. A kernel belongs to the call with its correlation id in
// its own process; ranges are those open on the call's thread when it was made.
import { err, type Result } from "#core/result.ts";
import type { Execution, GapReason, ModuleFrameName } from "../execution.ts";
import { Kernels } from "../link/calls.ts";
import { DeviceSums } from "../link/device-sums.ts";
import { RangeStacks } from "../range-stacks.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { type NsysRow, type NsysSource, type NsysTable, numberOf, processOf, rowsOf } from "./nsys-source.ts";

// CUPTI's CUpti_ActivityMemcpyKind; the others are kinds of arrays and peers.
const copyKinds: Record<number, string> = { 1: "Memcpy HtoD", 2: "Memcpy DtoH", 8: "Memcpy DtoD", 9: "Memcpy HtoH", 10: "Memcpy PtoP" };

type Call = { name: string; thread: string; start: number };

export function readNsys(source: NsysSource, { frameName }: { frameName: ModuleFrameName }): Result<Execution, Refusal> {
  const has = (table: NsysTable) => source.tables.has(table);
  if (!has("StringIds")) return err({ reason: `an SQLite database, but no Nsight Systems export${isRocpd(source) ? ": it is rocprofv3's rocpd database; record with --output-format json" : ""}`, at: 0 });
  if (!has("CUPTI_ACTIVITY_KIND_KERNEL") && !has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) {
    return err({ reason: "an Nsight Systems export without GPU kernels; record with nsys profile --trace cuda,nvtx", at: 0 });
  }
  return new NsysImport(source, frameName).run();
}

const isRocpd = ({ tables }: NsysSource) => [...tables].some((table) => table.startsWith("rocpd_"));

class NsysImport {
  private readonly source: NsysSource;
  private readonly execution = new StackExecution();
  private readonly ranges: RangeStacks;
  private readonly kernels = new Kernels(); // start, duration, device and stream only
  private readonly sums = new DeviceSums();
  private readonly texts = new Map<number, string>();
  private readonly calls = new Map<string, Map<number, Call>>(); // process → correlation id → call
  private readonly threadNames = new Map<string, string>();
  private readonly used = new Set<number>(); // devices kernels ran on
  private readonly found = { launches: 0, copies: 0, copyNs: 0 };
  private readonly counts = { kernels: 0, ranges: 0, replayed: 0, graphs: 0, negative: 0, beforeLaunch: 0 };
  private firstNs = Number.POSITIVE_INFINITY;
  private lastNs = Number.NEGATIVE_INFINITY;

  constructor(source: NsysSource, frameName: ModuleFrameName) {
    this.source = source;
    this.ranges = new RangeStacks(this.execution, frameName);
  }

  run(): Result<Execution, Refusal> {
    for (const { id, value } of rowsOf(this.source, "StringIds")) this.texts.set(numberOf(id), String(value ?? ""));
    for (const { globalTid, nameId } of rowsOf(this.source, "ThreadNames")) this.threadNames.set(String(globalTid), this.text(nameId));
    this.readRanges();
    this.readCalls();
    for (const table of ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"] as const) {
      for (const row of rowsOf(this.source, table)) {
        const { start, end } = this.span(row);
        this.found.copies++;
        this.found.copyNs += end - start;
        this.sums.addCopy(table.endsWith("SET") ? "Memset" : (copyKinds[numberOf(row["copyKind"])] ?? "Memcpy"), end - start, numberOf(row["bytes"]));
      }
    }
    for (const row of rowsOf(this.source, "CUPTI_ACTIVITY_KIND_KERNEL")) {
      this.counts.kernels++;
      const inGraph = numberOf(row["graphNodeId"]) > 0;
      if (inGraph) this.counts.replayed++;
      this.addKernel(row, this.text(row["demangledName"]) || this.text(row["shortName"]) || "(unnamed kernel)", inGraph);
    }
    for (const row of rowsOf(this.source, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) {
      this.counts.graphs++;
      this.addKernel(row, `(CUDA graph ${numberOf(row["graphId"])}, its kernels not traced)`, true);
    }
    return this.finish();
  }

  private readRanges(): void {
    for (const row of rowsOf(this.source, "NVTX_EVENTS")) {
      const text = typeof row["text"] === "string" ? row["text"] : this.text(row["textId"]);
      const start = numberOf(row["start"]);
      const end = row["end"] === null || row["end"] === undefined ? Number.POSITIVE_INFINITY : numberOf(row["end"]); // still open when recording ended
      if (text === "" || end <= start || (end === Number.POSITIVE_INFINITY && row["globalTid"] == null)) continue; // marks, domains, categories
      this.counts.ranges++;
      this.ranges.add(String(row["globalTid"]), text, start, end);
    }
    this.ranges.close();
  }

  private readCalls(): void {
    for (const row of rowsOf(this.source, "CUPTI_ACTIVITY_KIND_RUNTIME")) {
      this.found.launches++;
      const process = processOf(row["globalTid"]);
      let calls = this.calls.get(process);
      if (calls === undefined) this.calls.set(process, (calls = new Map()));
      calls.set(numberOf(row["correlationId"]), { name: this.text(row["nameId"]).replace(/_v\d+$/, ""), thread: String(row["globalTid"]), start: this.span(row).start });
    }
  }

  private addKernel(row: NsysRow, name: string, inGraph: boolean): void {
    const { execution } = this;
    const { start, end } = this.span(row);
    const device = numberOf(row["deviceId"]);
    this.used.add(device);
    this.kernels.start.push(start);
    this.kernels.duration.push(end - start);
    this.kernels.device.push(device);
    this.kernels.stream.push(numberOf(row["streamId"]));
    const correlation = numberOf(row["correlationId"]);
    // Exports before 2021 have no globalPid: then there is one process.
    const owner = row["globalPid"] == null ? [...this.calls.values()][0] : this.calls.get(processOf(row["globalPid"]));
    const call = owner?.get(correlation);
    if (call !== undefined && start < call.start) this.counts.beforeLaunch++;
    const around = call === undefined ? { frames: [], inModule: false } : this.ranges.launch(call.thread, call.start, end - start);
    let gap: GapReason | undefined;
    if (call === undefined) gap = "launch not recorded";
    else if (!around.inModule) gap = inGraph || /graphlaunch/i.test(call.name) ? "graph replay" : "outside any module";
    const frames = [
      ...(call === undefined ? [] : [execution.frame({ kind: "native", name: this.threadName(call.thread) })]), ...around.frames,
      execution.frame({ kind: "gpu_api", name: call === undefined ? "(launch not recorded)" : call.name }), execution.frame({ kind: "gpu_kernel", name }),
    ];
    execution.add(execution.stack(frames), { value: end - start, count: 1, gap });
  }

  private finish(): Result<Execution, Refusal> {
    const { counts, found } = this;
    if (counts.kernels + counts.graphs === 0) return err({ reason: "an Nsight Systems export whose kernel table is empty: nothing ran on a GPU while it recorded", at: 0 });
    const notes: string[] = [];
    const counted: [string, number][] = [
      ["Kernels replayed by a CUDA graph, below the launch of their graph", counts.replayed],
      ["CUDA graphs traced as a whole: their time is from the first kernel's start to the last one's end; record with --cuda-graph-trace=node to see the kernels", counts.graphs],
      ["Kernels that start before their launch (host and GPU clocks differ), linked by id all the same", counts.beforeLaunch],
      ["Records that end before they begin, read as 0", counts.negative],
    ];
    for (const [what, count] of counted) if (count > 0) notes.push(`${what}: ${count.toLocaleString("en-US")}`);
    if (counts.ranges === 0) notes.push("No NVTX ranges: kernels are below no module; mark modules with torch.cuda.nvtx.range and record with --trace cuda,nvtx");
    const gpuNames = this.gpuNames();
    let epochNs = 0n;
    for (const { utcEpochNs } of rowsOf(this.source, "TARGET_INFO_SESSION_START_TIME")) epochNs = typeof utcEpochNs === "number" || typeof utcEpochNs === "bigint" ? BigInt(utcEpochNs) : 0n;
    if (epochNs <= 0n) notes.push("The file has no absolute time: times count from the start of the recording");
    return this.execution.finish({
      profileType: "cuda", events: counts.kernels + counts.graphs + counts.ranges + found.launches + found.copies, notes, found, gpuNames, device: gpuNames.join(", "),
      durationNs: Math.max(0, this.lastNs - this.firstNs), recordedAtNs: epochNs > 0n ? epochNs + BigInt(this.firstNs) : 0n, modules: this.ranges.modules(), devices: this.devices(), copies: this.sums.copies(),
    });
  }

  private names(): Map<number, string> {
    return new Map([...rowsOf(this.source, "TARGET_INFO_GPU")].map(({ id, name }): [number, string] => [numberOf(id), String(name ?? "")]).filter(([, name]) => name !== ""));
  }

  // Of the devices kernels ran on; of all in the file when their numbers are not in its list.
  private gpuNames(): string[] {
    const all = [...this.names()];
    const used = all.filter(([id]) => this.used.has(id));
    return [...new Set((used.length > 0 ? used : all).map(([, name]) => name))];
  }

  private devices() {
    this.sums.addKernels(this.kernels, Number.POSITIVE_INFINITY);
    return this.sums.devices(this.names());
  }

  private text(id: NsysRow[string]): string {
    return id === null || id === undefined ? "" : (this.texts.get(numberOf(id)) ?? "");
  }

  private threadName(globalTid: string): string {
    return this.threadNames.get(globalTid) || `thread ${/^-?\d+$/.test(globalTid) ? BigInt(globalTid) & 0xff_ffffn : globalTid}`;
  }

  private span(row: NsysRow): { start: number; end: number } {
    const start = Math.floor(numberOf(row["start"]));
    const end = Math.floor(numberOf(row["end"]));
    if (end < start) this.counts.negative++;
    this.firstNs = Math.min(this.firstNs, start);
    this.lastNs = Math.max(this.lastNs, end);
    return { start, end: Math.max(start, end) };
  }
}
