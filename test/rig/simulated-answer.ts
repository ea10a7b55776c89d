// A simulated answer of the flamegraph API with exactly so many nodes: a server of one model, from Python through the layers to kernels, as wide as it is deep.
// Every number comes from a counter, so that two runs measure the same tree.
import type { Flamegraph, NodeColumns } from "#schema/api/flamegraph.ts";

type Kind = Flamegraph["frames"]["kind"][number];

export function simulatedAnswer(size: number): Flamegraph {
  const frames: Flamegraph["frames"] = { id: [], kind: [], name: [], file: [], line: [], mapping: [], modulePath: [], moduleClass: [], modelKey: [] };
  const rows = new Map<string, number>();
  const frame = (kind: Kind, name: string, path = ""): number => {
    const key = `${kind} ${name} ${path}`;
    const known = rows.get(key);
    if (known !== undefined) return known;
    rows.set(key, frames.id.length);
    frames.id.push(kind === "root" || kind === "other" ? "" : (frames.id.length + 16).toString(16));
    frames.kind.push(kind);
    frames.name.push(name);
    frames.file.push(kind === "python" ? `/usr/lib/python3/site-packages/vllm/model_executor/models/${name}.py` : "");
    frames.line.push(0);
    frames.mapping.push("");
    frames.modulePath.push(path);
    frames.moduleClass.push(path === "" ? "" : (name.split(" ")[0] as string));
    frames.modelKey.push(kind === "layer" ? "5".repeat(32) : "");
    return frames.id.length - 1;
  };
  frame("root", "");
  frame("other", "(other)");
  const nodes: NodeColumns = { parent: [-1], frame: [0], total: [0], self: [0], count: [0], copies: [1] };
  const add = (parent: number, row: number, self = 0): number => {
    nodes.parent.push(parent);
    nodes.frame.push(row);
    nodes.total.push(self);
    nodes.self.push(self);
    nodes.count.push(self > 0 ? 1 : 0);
    nodes.copies.push(1);
    return nodes.parent.length - 1;
  };
  let seed = 1;
  const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const room = () => nodes.parent.length < size;
  const down = (parent: number, ...names: readonly (readonly [Kind, string, string?])[]): number => {
    let at = parent;
    for (const [kind, name, path] of names) if (room()) at = add(at, frame(kind, name, path));
    return at;
  };
  for (let request = 0; room(); request++) {
    const run = down(0, ["python", `worker_${request}`], ["python", "execute_model"], ["layer", "simulated/net"], ["python", "forward"]);
    for (let layer = 0; layer < 64 && room(); layer++) {
      const block = down(run, ["layer", `SimDecoderLayer layers.${layer}`, `model.layers.${layer}`], ["python", "forward"], ["python", "_call_impl"]);
      for (const [cls, name, children] of [["SimAttention", "self_attn", ["q_proj", "k_proj", "v_proj", "o_proj"]], ["SimMLP", "mlp", ["gate_proj", "up_proj", "down_proj"]]] as const) {
        if (!room()) break;
        const module = down(block, ["layer", `${cls} ${name}`, `model.layers.${layer}.${name}`], ["python", "forward"]);
        for (const child of children) {
          if (!room()) break;
          const linear = down(module, ["layer", `Linear ${child}`, `model.layers.${layer}.${name}.${child}`], ["python", "linear"], ["gpu_api", "cudaLaunchKernel"]);
          for (let kernel = 0; kernel < 3 && room(); kernel++) add(linear, frame("gpu_kernel", `sim_gemm_${Math.floor(next() * 40)}_tile_${kernel}`), 1 + Math.floor(next() ** 4 * 100_000));
        }
      }
    }
  }
  for (let node = size - 1; node > 0; node--) {
    const above = nodes.parent[node] as number;
    if (nodes.total[node] === 0) nodes.total[node] = nodes.self[node] = 1; // a branch the last one was cut in
    nodes.total[above] = (nodes.total[above] as number) + (nodes.total[node] as number);
    nodes.count[above] = (nodes.count[above] as number) + (nodes.count[node] as number);
  }
  const total = nodes.total[0] as number;
  return {
    range: { from: "2026-11-30T00:00:00Z", to: "2026-11-30T01:00:00Z" }, ingestedThrough: "2026-11-30T01:00:00Z", profileType: "cuda", unit: "ns", execution: null, executionReason: null,
    samples: size, total, whole: total, withoutLayer: 0, truncated: { nodes: 0, total: 0 }, simulated: true, nodes, frames,
  };
}
