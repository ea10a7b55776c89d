// rocprofv3 JSON → Execution: GPU time of kernel dispatches below thread → roctx ranges → HIP call, joined by correlation id. The file is parsed whole.
import { err, type Result } from "#core/result.ts";
import { decodeText } from "../decode-text.ts";
import type { Execution, GapReason, ModuleFrameName } from "../execution.ts";
import { numberOf, objectsOf, textOf } from "../json-fields.ts";
import { Kernels } from "../link/calls.ts";
import { DeviceSums } from "../link/device-sums.ts";
import { RangeStacks } from "../range-stacks.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import type { RocprofFile, RocprofProcess, RocprofRecord } from "./rocprof-file.ts";

const refuse = (reason: string): Result<Execution, Refusal> => err({ reason, at: 0 });

export function readRocprof(bytes: Uint8Array, options: { frameName: ModuleFrameName }): Result<Execution, Refusal> {
  let file: RocprofFile;
  try {
    file = JSON.parse(decodeText(bytes)) as RocprofFile;
  } catch (error) {
    return refuse(`a rocprofv3 result that cannot be parsed as JSON (${(error as Error).message}); a run that was killed leaves half a file`);
  }
  const processes = new RocprofImport(options.frameName);
  for (const one of objectsOf(file?.["rocprofiler-sdk-tool"])) processes.add(one);
  return processes.finish();
}

class RocprofImport {
  private readonly execution = new StackExecution();
  private readonly ranges: RangeStacks;
  private readonly kernels = new Kernels(); // start, duration, device and stream only
  private readonly sums = new DeviceSums();
  private readonly gpuNames = new Map<number, string>(); // by agent
  private readonly found = { launches: 0, copies: 0, copyNs: 0 };
  private readonly counts = { dispatches: 0, unnamed: 0, negative: 0, rounded: 0, ranges: 0 };
  private firstNs = Number.POSITIVE_INFINITY;
  private lastNs = Number.NEGATIVE_INFINITY;

  constructor(frameName: ModuleFrameName) {
    this.ranges = new RangeStacks(this.execution, frameName);
  }

  add({ agents, kernel_symbols: symbols, strings, buffer_records: records, metadata }: RocprofProcess): void {
    const pid = numberOf(metadata?.pid);
    const kinds = objectsOf(strings?.buffer_records);
    const callName = ({ kind = -1, operation = -1 }: RocprofRecord) => textOf(kinds[kind]?.operations?.[operation]) || "(unnamed call)";
    this.addRanges(pid, objectsOf(records?.marker_api), new Map(objectsOf(strings?.marker_api).map(({ key, value }) => [key, textOf(value)])));
    for (const copy of objectsOf(records?.memory_copy)) {
      const { start, end } = this.span(copy);
      this.found.copies++;
      this.found.copyNs += end - start;
      this.sums.addCopy(callName(copy), end - start, numberOf(copy.bytes));
    }
    const calls = new Map<number | undefined, RocprofRecord>();
    for (const call of objectsOf(records?.hip_api)) {
      this.span(call);
      this.found.launches++;
      calls.set(call.correlation_id?.internal, call);
    }
    const names = new Map(objectsOf(symbols).map((one) => [one.kernel_id, textOf(one.formatted_kernel_name) || textOf(one.demangled_kernel_name) || textOf(one.kernel_name)]));
    const gpus = new Map(objectsOf(agents).map(({ id, product_name: product, name }) => [id?.handle, textOf(product) || textOf(name)]));
    for (const dispatch of objectsOf(records?.kernel_dispatch)) {
      const { start, end } = this.span(dispatch);
      this.counts.dispatches++;
      const device = numberOf(dispatch.dispatch_info?.agent_id?.handle);
      this.kernels.start.push(start);
      this.kernels.duration.push(end - start);
      this.kernels.device.push(device);
      this.kernels.stream.push(numberOf(dispatch.stream_id?.handle ?? dispatch.dispatch_info?.queue_id?.handle));
      const gpu = gpus.get(dispatch.dispatch_info?.agent_id?.handle) ?? "";
      if (gpu !== "") this.gpuNames.set(device, gpu);
      const call = calls.get(dispatch.correlation_id?.internal);
      const thread = numberOf(call?.thread_id ?? dispatch.thread_id);
      const around = call === undefined ? { frames: [], inModule: false } : this.ranges.launch(`${pid}/${thread}`, numberOf(call.start_timestamp), end - start);
      const name = names.get(dispatch.dispatch_info?.kernel_id) ?? "";
      if (name === "") this.counts.unnamed++;
      const gap: GapReason | undefined = around.inModule ? undefined : call === undefined ? "launch not recorded" : "outside any module";
      const frames = [
        this.execution.frame({ kind: "native", name: `thread ${thread}` }), ...around.frames,
        this.execution.frame({ kind: "gpu_api", name: call === undefined ? "(launch not recorded)" : callName(call) }),
        this.execution.frame({ kind: "gpu_kernel", name: name || `kernel ${numberOf(dispatch.dispatch_info?.kernel_id)}` }),
      ];
      this.execution.add(this.execution.stack(frames), { value: end - start, count: 1, gap });
    }
  }

  // Marks without a duration or without a text are no ranges.
  private addRanges(pid: number, markers: RocprofRecord[], texts: Map<number | undefined, string>): void {
    for (const marker of markers) {
      const { start, end } = this.span(marker);
      const text = texts.get(marker.correlation_id?.internal) ?? "";
      if (text === "" || end <= start) continue;
      this.counts.ranges++;
      this.ranges.add(`${pid}/${numberOf(marker.thread_id)}`, text, start, end);
    }
    this.ranges.close();
  }

  finish(): Result<Execution, Refusal> {
    const { counts, found } = this;
    if (counts.dispatches === 0) {
      return refuse("a rocprofv3 result without kernel dispatches: there is no GPU time in it; record with rocprofv3 --kernel-trace (or --sys-trace) --output-format json");
    }
    const gpuNames = [...new Set(this.gpuNames.values())];
    const notes: string[] = [];
    const counted: [string, number][] = [
      ["Kernels the file has no name for, shown by their id", counts.unnamed],
      ["Records that end before they begin, read as 0", counts.negative],
      ["Times beyond 2^53 ns, exact to 2 ns only", counts.rounded],
    ];
    for (const [what, count] of counted) if (count > 0) notes.push(`${what}: ${count.toLocaleString("en-US")}`);
    if (found.launches === 0) notes.push("HIP calls were not traced: kernels stand below their thread alone; record with --hip-trace (or --sys-trace)");
    if (counts.ranges === 0) notes.push("No roctx ranges: kernels are below no module; mark modules with roctxRangePush and record with --marker-trace");
    notes.push("The file has no absolute time: times count from the machine's start");
    return this.execution.finish({
      profileType: "cuda", events: counts.dispatches + counts.ranges + found.launches + found.copies, gpuNames, device: gpuNames.join(", "), notes, found,
      durationNs: Math.max(0, this.lastNs - this.firstNs), modules: this.ranges.modules(), devices: this.devices(), copies: this.sums.copies(),
    });
  }

  private devices() {
    this.sums.addKernels(this.kernels, Number.POSITIVE_INFINITY);
    return this.sums.devices(this.gpuNames);
  }

  private span(record: RocprofRecord): { start: number; end: number } {
    const [from, to] = [numberOf(record.start_timestamp), numberOf(record.end_timestamp)];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) this.counts.rounded++;
    if (to < from) this.counts.negative++;
    const start = Math.floor(from);
    const end = Math.max(start, Math.floor(to));
    if (start > 0) {
      this.firstNs = Math.min(this.firstNs, start);
      this.lastNs = Math.max(this.lastNs, end);
    }
    return { start, end };
  }
}
