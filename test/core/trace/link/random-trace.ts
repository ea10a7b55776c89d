// Small random traces with everything the linking looks at: modules, operators and launches of one or two ranks that number theirs alike, backward passes with
// arrows, steps, annotations, graphs captured and replayed; in bursts with quiet between, some events far from their burst in the file. Times are few, so that
// calls touch, cross and start together. A burst is a scene that makes sense and calls by chance, most of them nonsense, which a file may hold as well.
import fc from "fast-check";

type Event = { [key: string]: unknown };
type Call = { kind: string; at: number; lasts: number; thread: number; rank: number; id: number; name: number; written: "here" | "first" | "last"; odd: number };
type Burst = { scene: keyof typeof scenes; variant: number; calls: Call[]; gap: number; fresh: boolean };
type Making = { bursts: Burst[]; ranks: number; unit: number; origin: bigint; pids: "device" | "label" | "one device" | "rank"; mapped: boolean; onGpu: boolean };

const classes = ["Net_0", "Block_0", "Block_1", "Linear_0", "Linear_7"];
const ranges = ["Module:net", "Module:net.block", "Module:net.other", "layers.0.mlp", "layers.1", "nccl:all_reduce", "my range"];
const marks = ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2", "execute_8_context_0(sq0sk0)_generation_1(sq1sk9)", "step[DECODE bs=32]", "capture_8_FULL"];
const launches = ["cudaLaunchKernel", "hipModuleLaunchKernel", "hipGraphLaunch", "hipStreamBeginCapture", "hipStreamEndCapture", "cudaDeviceSynchronize"];

const called = (kind: string, [at, end]: [number, number], id: number, name: number, thread = 0): Omit<Call, "rank"> => ({ kind, at, lasts: end - at, thread, id, name, written: "here", odd: 0 });
const bit = (variant: number, place: number): number => (variant >> place) & 1;
const forward = (variant: number): Omit<Call, "rank">[] => [
  ...(bit(variant, 0) === 1 ? [called("module", [0, 30], 0, 0)] : []), called("module", [1, 28], 0, 1 + bit(variant, 1)), ...(bit(variant, 2) === 1 ? [called("range", [2, 3], 0, 1 + bit(variant, 3))] : []),
  called("module", [4, 12], 0, 3), called("recorded", [5, 10], 0, 1), called("launch", [6, 7], 1, 0), called("kernel", [40, 44], 1, 0), called("recorded", [14, 18], 2, 2), called("launch", [15, 16], 3, 0), called("kernel", [44, 45], 3, 1),
];
const arrowOf = (variant: number): Omit<Call, "rank">[] => (bit(variant, 0) === 1 ? [called("arrow", [2, 2], 6, 0, bit(variant, 1)), called("tip", [12, 12], 6, 0, 2)] : []);
const scenes = {
  none: () => [],
  forward,
  training: (variant: number) => [
    ...forward(variant), called("gradient", [32, 38], 2, 1 + bit(variant, 4), 2), called("launch", [33, 34], 4, 0, 2), called("kernel", [60, 66], 4, 0),
    ...(bit(variant, 5) === 1 ? [called("arrow", [14, 14], 2, 0), called("tip", [32, 32], 2, 0, 2)] : []),
    called("accumulation", [40, 46], 0, 0, 2), ...(bit(variant, 6) === 1 ? [called("range", [41, 45], 0, 5, 2)] : []), called("launch", [42, 43], 5, 0, 2), called("kernel", [70, 71], 5, 1),
  ],
  // Both threads have the number; only an arrow tells them apart.
  "two threads": (variant: number) => [
    called("module", [0, 10], 0, 0), called("recorded", [1, 9], 6, 1), called("module", [0, 10], 0, 1, 1), called("recorded", [2, 9], 6, 2, 1),
    called("gradient", [12, 20], 6, 2, 2), called("launch", [13, 14], 7, 0, 2), called("kernel", [20, 22], 7, 0), ...arrowOf(variant).map((one) => ({ ...one, written: bit(variant, 2) === 1 ? ("last" as const) : one.written })),
  ],
  arrow: arrowOf,
  accumulating: (variant: number) => [called("op", [0, 1], 0, 1), called(bit(variant, 0) === 1 ? "gradient" : "op", [1, 2], 6, 1, 2), called("accumulation", [2, 6], 0, 0, 2), called("launch", [3, 4], 7, 0, 2), called("kernel", [9, 12], 7, 0)],
  capture: (variant: number) => [called("launch", [0, 1], 8, 3), called("module", [1, 9], 0, 1 + bit(variant, 1)), called("launch", [2, 3], 9, 1), called("launch", [4, 5], 10, 1), called("launch", [10, 11], 11, 4)],
  replay: (variant: number) => [called("launch", [0, 1], 12, 2), called("kernel", [5, 9], 12, 0), ...(bit(variant, 0) === 1 ? [called("kernel", [9, 12], 12, 0)] : [])],
};

const kinds = [
  { arbitrary: fc.constant("module"), weight: 5 }, { arbitrary: fc.constant("op"), weight: 2 }, { arbitrary: fc.constant("recorded"), weight: 3 }, { arbitrary: fc.constant("gradient"), weight: 3 },
  { arbitrary: fc.constant("accumulation"), weight: 2 }, { arbitrary: fc.constant("arrow"), weight: 2 }, { arbitrary: fc.constant("tip"), weight: 2 }, { arbitrary: fc.constant("launch"), weight: 5 },
  { arbitrary: fc.constant("kernel"), weight: 5 }, { arbitrary: fc.constant("range"), weight: 3 }, { arbitrary: fc.constant("mark"), weight: 1 }, { arbitrary: fc.constant("python"), weight: 2 }, { arbitrary: fc.constant("copy"), weight: 1 },
];
const seldom = <T>(usual: T, weight: number, ...others: T[]): fc.Arbitrary<T> => fc.oneof({ arbitrary: fc.constant(usual), weight }, ...others.map((other) => ({ arbitrary: fc.constant(other), weight: 1 })));
const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.oneof(...kinds), at: fc.nat(12), lasts: fc.nat(8), thread: fc.nat(2), rank: fc.nat(1), id: fc.nat(12), name: fc.nat(6), written: seldom<Call["written"]>("here", 80, "first", "last"), odd: seldom(0, 120, 1, 2, 3, 4, 4, 4, 5, 6, 6, 6),
});
const burst: fc.Arbitrary<Burst> = fc.record({
  scene: fc.constantFrom(...(Object.keys(scenes) as Burst["scene"][])), variant: fc.nat(255), calls: fc.array(call, { maxLength: 6 }), gap: fc.constantFrom(0, 1, 1, 3, 3, 40, 40, 40, 40, -1, -2, -6), fresh: seldom(true, 12, false),
});
const making: fc.Arbitrary<Making> = fc.record({
  bursts: fc.array(burst, { minLength: 1, maxLength: 8 }), ranks: fc.constantFrom(1, 1, 2), unit: fc.constantFrom(1000, 1, 37, 125), mapped: seldom(false, 2, true), onGpu: seldom(true, 6, false),
  origin: fc.constantFrom(0n, 1_700_000_000_000_000_120n, 5_000_000_000_000_000n), pids: fc.constantFrom("device" as const, "label" as const, "one device" as const, "rank" as const),
});

// Of a document of the file: the JSON, and events by themselves. Times are text, because a double has no nanoseconds near the epoch.
export const randomTrace: fc.Arbitrary<string> = making.map((made) => JSON.stringify(documentOf(made)));

function documentOf(made: Making): object {
  const parts: Record<Call["written"], Event[]> = { here: [], first: [], last: [] };
  let start = 0;
  let base = 1;
  for (const { scene, variant, calls: byChance, gap, fresh } of made.bursts) {
    start = Math.max(0, start + gap);
    if (fresh) base += 20;
    const inScene = scenes[scene](variant).flatMap((one) => (bit(variant, 7) === 1 ? [{ ...one, rank: 0 }, { ...one, rank: 1 }] : [{ ...one, rank: variant }]));
    const calls = [...inScene, ...byChance];
    for (const one of calls) if (made.onGpu || one.kind !== "kernel") parts[one.written].push(eventOf(one, start, base, made));
    start = calls.reduce((end, { kind, at, lasts }) => (kind === "kernel" || kind === "copy" ? end : Math.max(end, start + at + lasts)), start);
  }
  const map = made.mapped ? { lamella_module_map: { "nn.Module: Block_1": { path: "net.blocks.1", class: "Block" }, "nn.Module: Linear_7": { path: "net.blocks.1.proj", class: "Linear" } } } : {};
  return { traceEvents: [...parts.first, ...parts.here, ...parts.last], ...map };
}

function eventOf({ kind, at, lasts, thread, rank: any, id, name, odd }: Call, burst: number, base: number, { ranks, unit, origin, pids }: Making): Event {
  const rank = any % ranks;
  const start = BigInt((burst + at) * unit) + (odd === 1 ? 0n : origin);
  const label = pids === "label" ? `[TP0${rank}] ` : "";
  const host = { pid: pids === "rank" ? rank : label === "" ? 100 + rank : `${label}${100 + rank}`, tid: thread };
  const number = base + id;
  const time = { ts: odd === 2 ? "0" : odd === 3 ? "-3" : microsText(start), dur: odd === 4 ? -2 : microsText(BigInt(lasts * unit)) };
  if (odd === 5) delete (time as Event)["dur"];
  if (odd === 6) delete (time as Event)["ts"];
  const call = (cat: string, text: string, args: object): Event => ({ ph: "X", cat, name: text, ...host, ...time, args });
  switch (kind) {
    case "module":
      return call("python_function", `nn.Module: ${classes[name % classes.length]}`, {});
    case "op":
      return call("cpu_op", name === 0 ? marks[id % marks.length]! : `aten::${name}`, {});
    case "recorded":
      return call("cpu_op", `aten::${name}`, { "Sequence number": number, "Fwd thread id": 0 });
    case "gradient":
      return call("cpu_op", `${name === 0 ? "" : "autograd::engine::evaluate_function: "}Backward${name}`, { "Sequence number": number, "Fwd thread id": 1 + (name % 2) });
    case "accumulation":
      return call("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", {});
    case "arrow":
    case "tip":
      return { ph: kind === "arrow" ? "s" : "f", cat: "fwdbwd", name: "fwdbwd", id: number, ...host, ts: time.ts };
    case "launch":
      return call("cuda_runtime", launches[name % launches.length]!, { correlation: number, ...(name === 1 ? { kernel: "gemm" } : {}) });
    case "kernel": {
      const device = pids === "one device" ? 0 : rank;
      return { ph: "X", cat: "kernel", name: name % 2 === 0 ? "gemm" : "add", pid: pids === "rank" ? rank : label === "" ? device : `${label}${device}`, tid: 7 + thread, ...time, args: { correlation: number, device, stream: thread } };
    }
    case "range":
      return call("user_annotation", ranges[name]!, {});
    case "mark":
      return call("user_annotation", marks[name % marks.length]!, {});
    case "python":
      return call("python_function", `run.py(${id}): f${name}`, { "Python id": id, "Python parent id": name });
    default:
      return { ph: "X", cat: "gpu_memcpy", name: "Memcpy HtoD", pid: 0, tid: 7, ...time, args: { bytes: 64 } };
  }
}

function microsText(ns: bigint): string {
  return `${ns / 1000n}.${String(ns % 1000n).padStart(3, "0")}`;
}
