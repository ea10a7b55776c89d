// model_tree.json drawn in a test as vllm_arch_map writes it: the root beside its own children, a path in every node. A tensor is "bfloat16[8,4]".

export type Node = { name: string; path?: string; class?: unknown; children?: unknown; [key: string]: unknown };

export function tensor(text: string): object {
  const [, dtype, sizes] = /^(\w+)\[([\d,]*)\]$/.exec(text)!;
  const shape = sizes === "" ? [] : sizes!.split(",").map(Number);
  return { shape, dtype: `torch.${dtype}`, device: "cuda:0", stride: shape.map((_, i) => shape.slice(i + 1).reduce((product, size) => product * size, 1)) };
}

export function node(name: string, className: string, weights: Record<string, string> = {}, children: Node[] = [], more: object = {}): Node {
  const tensors = Object.fromEntries(Object.entries(weights).map(([key, text]) => [key, tensor(text)]));
  return { name, class: className, module: `vllm.models.net.${className}`, weights: tensors, buffers: {}, config: {}, implementations: {}, children, ...more };
}

export function buffers(drawn: Record<string, string>): object {
  return { buffers: Object.fromEntries(Object.entries(drawn).map(([key, text]) => [key, tensor(text)])) };
}

// The children of the root stand beside it.
export function modelTree(rootClass: string, children: Node[], more: object = {}): Record<string, unknown> {
  const placed = children.map((child) => withPaths(child, ""));
  const root = { ...node("__root__", rootClass), path: "__root__" };
  return {
    schema_version: 2, model: "org/net", source: "loaded_vllm_worker", run_id: "1b", worker_pid: 7, capture_mode: "eager", config: { architectures: [rootClass] },
    tree: { name: "model", children: [root, ...placed] }, invocations: [], profile_dir: "profiles-1b", limitations: [], ...more,
  };
}

function withPaths(one: Node, parent: string): Node {
  if (typeof one !== "object") return one; // drawn wrong on purpose
  const path = parent === "" ? one.name : `${parent}.${one.name}`;
  return { ...one, path: one.path ?? path, ...(Array.isArray(one.children) ? { children: one.children.map((child: Node) => withPaths(child, path)) } : {}) };
}

export function bytesOf(document: unknown): Uint8Array {
  return new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document));
}
