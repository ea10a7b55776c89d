// Inductor's generated code (output_code.py of a TORCH_COMPILE_DEBUG folder) → which operators were fused into which kernel. Inductor writes the operators as a
// comment right before the kernel it compiled from them, or before the call of a library it left them to. The code itself is never kept.
export type FusedKernel = {
  kernel: string; // as kernels of a trace are named, e.g. "triton_red_fused_add_mean_0"; a library's call as "extern_kernels.mm"
  operators: string[]; // "aten.add", "aten.mean"
  sources: string[]; // names in the traced model code: "add", "hidden_states_1"
};

const origin = /^\s*# (?:Topologically Sorted )?Source Nodes: \[([^\]]*)\], Original ATen: \[([^\]]*)\]/;
const compiled = /^\s*(\w+) = async_compile\.\w+\(/;
const called = /^\s*(?:(\w+)(?:\.run)?|(extern_kernels\.\w+))\(/;

export function readOutputCode(text: string): FusedKernel[] {
  const byKernel = new Map<string, FusedKernel>();
  let pending: { operators: string[]; sources: string[] } | undefined;
  for (const line of text.split("\n")) {
    const found = origin.exec(line);
    if (found !== null) {
      pending = { sources: words(found[1]!), operators: words(found[2]!) };
      continue;
    }
    const name = compiled.exec(line)?.[1] ?? called.exec(line)?.slice(1).find((group) => group !== undefined);
    if (name === undefined || pending === undefined || !isKernel(name)) continue;
    const known = byKernel.get(name);
    if (known === undefined) byKernel.set(name, { kernel: name, ...pending });
    else {
      known.operators = [...new Set([...known.operators, ...pending.operators])];
      known.sources = [...new Set([...known.sources, ...pending.sources])];
    }
    pending = undefined;
  }
  return [...byKernel.values()];
}

function isKernel(name: string): boolean {
  return /^(triton_|cpp_fused|extern_kernels\.|[a-z]+_fused_)/.test(name);
}

function words(list: string): string[] {
  return list.split(",").map((word) => word.trim()).filter((word) => word !== "");
}
