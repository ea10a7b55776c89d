// Why time lies in no module, by the reason of the gap, and what to do about it.
import type { GapReason } from "./execution.ts";

export const gapAdvice: Record<GapReason, string> = {
  "launched before capture": "the GPU was still busy with earlier work when the recording began; synchronize before it starts",
  "launch not recorded": "the file has no call that launched them; record with CPU activity as well",
  "graph replay": "kernels of a replayed CUDA or HIP graph have no calls of their own; import with --capture and the trace of the engine's start-up, or record the run eager",
  "collective over gradients": "gradients of many modules are reduced together, so this time belongs to none of them alone",
  "backward, module unknown": "the forward pass they belong to lies outside the recording or outside any module; record whole steps",
  "outside any module": "started by code that runs in no nn.Module call: between forwards, in the optimizer, or no modules were recorded",
};
