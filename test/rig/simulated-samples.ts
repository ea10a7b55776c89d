// GPU samples made from a model's structure where no GPU is: every module whose forward runs has a Python and a Model Layer frame, every matrix one kernel. Times
// follow the weight bytes; one layer is slower than its copies. Each frame's mapping says "simulated", so every page that shows them says so too.
import type { Frame, StackProfile } from "#core/flamegraph/stacks.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { joinPath } from "#core/shape/locate.ts";
import type { ShapeBody } from "#schema/api/models.ts";

export type Simulated = {
  readonly modelName: string;
  readonly modelKey: string;
  readonly slow?: { readonly path: string; readonly times: number }; // everything in this module takes so many times as long
};

const containers = new Set(["ModuleList", "ModuleDict"]); // never called

export function simulatedSamples(body: ShapeBody, { modelName, modelKey, slow }: Simulated): StackProfile {
  const frames: Frame[] = [];
  const rows = new Map<string, number>();
  const frame = (one: Partial<Frame> & Pick<Frame, "kind" | "name">): number => {
    const whole: Frame = { file: "", line: 0, modulePath: "", moduleClass: "", modelKey: "", ...one, mapping: "simulated" };
    const key = JSON.stringify(whole);
    if (!rows.has(key)) rows.set(key, frames.push(whole) - 1);
    return rows.get(key)!;
  };
  const stacks: { frames: number[]; value: bigint; count: bigint }[] = [];
  const launch = frame({ kind: "gpu_api", name: "cuLaunchKernel" });
  const entry = [frame({ kind: "python", name: "run_engine_core", file: "core.py", line: 10 }), frame({ kind: "python", name: "execute_model", file: "gpu_worker.py", line: 20 })];
  const open = [{ row: body.root, path: "", stack: entry }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { row, path, stack } = next;
    const { className, tensors, children } = body.modules[row]!;
    const inside = containers.has(className)
      ? stack
      : [...stack, frame({ kind: "layer", name: layerFrameName({ className, path, modelName }), modulePath: path, moduleClass: className, modelKey }), frame({ kind: "python", name: `${className}.forward`, file: `${className.toLowerCase()}.py`, line: 30 })];
    const times = slow !== undefined && (path === slow.path || path.startsWith(`${slow.path}.`)) ? slow.times : 1;
    const take = (kernel: string, ns: number) => stacks.push({ frames: [...inside, launch, frame({ kind: "gpu_kernel", name: kernel })], value: BigInt(Math.max(1, Math.round(ns * times))), count: 1n });
    for (const { role, dims, bytes } of tensors) if (role === "parameter" && dims.length > 1) take(`simulated_gemm_${dims.join("x")}`, bytes / 3_350 + 2_000);
    if (className.endsWith("Attention")) take("simulated_flash_fwd", 18_000);
    if (className.endsWith("Norm")) take("simulated_rms_norm", 2_400);
    for (const { name, module } of children.toReversed()) open.push({ row: module, path: joinPath(path, name), stack: inside });
  }
  stacks.push({ frames: [...entry, launch, frame({ kind: "gpu_kernel", name: "simulated_sampling" })], value: 60_000n, count: 1n });
  return { profileType: "cuda", frames, stacks };
}
