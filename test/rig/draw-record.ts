// Execution records for tests, drawn as a tree: attribute, class, calls, value, kernels. `.` is a root without a path; each call takes value / calls of GPU time and
// ten times that on the host.
//
//   .             Net      2  24000  4
//     layers.0    Layer    2  14000  2
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

export type DrawnFields = Partial<Omit<ExecutionRecord, "modules" | "texts" | "kernels">> & { readonly kernels?: readonly DrawnKernel[] };
// module: row of the drawing; -1 = outside any
export type DrawnKernel = { module: number; op?: string; kernel: string; category?: string; fused?: string; metrics?: number; grid?: string; block?: string; dims?: string; dtypes?: string; count: number; value: number };

export function drawRecord(drawing: string, { kernels = [], ...fields }: DrawnFields = {}): ExecutionRecord {
  const texts: string[] = [];
  const id = (text: string): number => (texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1);
  const modules: ExecutionRecord["modules"] = {
    parent: [], name: [], path: [], class: [], calls: [], kernels: [], value: [], gpu: { min: [], median: [], max: [], slowest: [] }, cpu: { total: [], min: [], median: [], max: [], slowest: [] },
  };
  const lines = drawing.split("\n").filter((line) => line.trim() !== "");
  const margin = lines[0]?.search(/\S/) ?? 0;
  const open: { row: number; path: string }[] = [];
  for (const [row, line] of lines.entries()) {
    const [attribute, className, calls, value, kernelCount] = line.trim().split(/\s+/) as [string, string, string, string, string];
    open.splice((line.search(/\S/) - margin) / 2);
    const holder = open.at(-1);
    const path = attribute === "." ? "" : [holder?.path ?? "", attribute].filter((part) => part !== "").join(".");
    const each = Number(calls) === 0 ? 0 : Number(value) / Number(calls);
    modules.parent.push(holder?.row ?? -1);
    modules.name.push(id(attribute.endsWith("]") ? attribute : `${className}${attribute === "." ? "" : ` ${attribute}`}`));
    modules.path.push(id(path));
    modules.class.push(id(className));
    modules.calls.push(Number(calls));
    modules.kernels.push(Number(kernelCount));
    modules.value.push(Number(value));
    for (const column of ["min", "median", "max"] as const) {
      modules.gpu[column].push(each);
      modules.cpu[column].push(10 * each);
    }
    modules.gpu.slowest.push(Math.min(1, Number(calls)));
    modules.cpu.slowest.push(Math.min(1, Number(calls)));
    modules.cpu.total.push(10 * Number(value));
    open.push({ row, path });
  }
  const column = (name: "op" | "kernel" | "category" | "fused" | "grid" | "block" | "dims" | "dtypes") => kernels.map((one) => id(one[name] ?? ""));
  const total = modules.parent.reduce((sum, parent, row) => sum + (parent < 0 ? modules.value[row]! : 0), 0);
  const launched = modules.parent.reduce((sum, parent, row) => sum + (parent < 0 ? modules.kernels[row]! : 0), 0);
  return {
    format: 2, unit: "ns", headline: "drawn", profileType: "cuda", device: "a drawn device", recordedAtNs: "0", durationNs: 10 * total, events: 100, pathSource: "recorded", modelName: "org/net", modelKey: "",
    totals: { kernels: launched, value: total, moduleValue: total, busyNs: total }, devices: [], copies: [], rank: -1, worldSize: 0, request: null, gaps: [], found: {}, missing: [], notes: [], steps: [], categories: [], modulesLeftOut: 0,
    operations: { module: [], op: [], calls: [], cpuNs: [] }, operationsLeftOut: 0, kernelsLeftOut: 0, kernelMetrics: [], forward: null, ...fields,
    kernels: {
      module: kernels.map((one) => one.module), op: column("op"), kernel: column("kernel"), category: column("category"), fused: column("fused"), metrics: kernels.map((one) => one.metrics ?? -1), grid: column("grid"), block: column("block"), dims: column("dims"), dtypes: column("dtypes"),
      count: kernels.map((one) => one.count), value: kernels.map((one) => one.value),
    },
    modules, texts,
  };
}

export function drawnStep(number: number, fields: Partial<ExecutionRecord["steps"][number]> = {}): ExecutionRecord["steps"][number] {
  return { number, label: `step ${number}`, phase: "", prefillRequests: 0, prefillTokens: 0, decodeRequests: 0, decodeTokens: 0, startNs: 0, durationNs: 0, kernels: 0, value: 0, busyNs: 0, ...fields };
}
