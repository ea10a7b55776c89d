// The filterable fields: one table {field → type, pages} drives the language, the API, the pages, completion, docs and error texts.
// A new field is one line here and one migration.

// flamegraph: every view of stacks (tree, tables, comparison, exports). models: what a model can be scoped by.
export const pages = ["flamegraph", "models"] as const;
export type Page = (typeof pages)[number];

// string: one value per row. list: several per row ("exists an element"). frame: a property of the stack's frames ("the stack contains such a frame").
export type FieldKind = "string" | "list" | "frame";

const everywhere: readonly Page[] = pages;
const profiles: readonly Page[] = ["flamegraph"];

export const fields = {
  "host.name": { kind: "string", pages: everywhere, example: "node-7" },
  "process.executable.name": { kind: "string", pages: everywhere, example: "python3.11" },
  "script.name": { kind: "string", pages: everywhere, example: "serve.py" },
  "job.tag": { kind: "string", pages: everywhere, example: "nightly" },
  "container.name": { kind: "string", pages: everywhere, example: "vllm" },
  "k8s.pod.name": { kind: "string", pages: everywhere, example: "vllm-0" },
  "k8s.deployment.name": { kind: "string", pages: everywhere, example: "vllm" },
  "k8s.namespace.name": { kind: "string", pages: everywhere, example: "inference" },
  "slurm.job.id": { kind: "string", pages: everywhere, example: "48213" },
  "slurm.job.name": { kind: "string", pages: everywhere, example: "pretrain" },
  "slurm.job.user": { kind: "string", pages: everywhere, example: "ada" },
  "user.tag": { kind: "list", pages: everywhere, example: "env:prod" },
  "cluster.name": { kind: "string", pages: everywhere, example: "prod-eu" },
  "profile.frame.type": { kind: "frame", pages: profiles, example: "python" },
  "thread.name": { kind: "string", pages: profiles, example: "MainThread" },
  "gpu.name": { kind: "string", pages: profiles, example: "NVIDIA H100 80GB HBM3" },
  "gpu.uuid": { kind: "string", pages: profiles, example: "GPU-5f1c2a7e" },
  "kernel.name": { kind: "frame", pages: profiles, example: "flash_fwd_kernel" },
  "module.path": { kind: "frame", pages: profiles, example: "model.layers.17" },
  "module.class": { kind: "frame", pages: profiles, example: "Qwen3Attention" },
  "model.name": { kind: "frame", pages: profiles, example: "Qwen/Qwen3-32B" },
} as const satisfies Record<string, { kind: FieldKind; pages: readonly Page[]; example: string }>;

export type FieldName = keyof typeof fields;

export const fieldNames = Object.keys(fields) as FieldName[];

export function fieldsOfPage(page: Page): FieldName[] {
  return fieldNames.filter((name) => (fields[name].pages as readonly Page[]).includes(page));
}

export function isFieldName(text: string): text is FieldName {
  return Object.hasOwn(fields, text);
}
