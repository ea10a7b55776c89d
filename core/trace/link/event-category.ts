// What a trace category means to us. The names changed over the years (Operator → cpu_op, Runtime → cuda_runtime) and differ between vendors
// (hip*, mtia_*), so launches are recognised by what the category ends with, never by a list of call names.

export const categories = { other: 0, python: 1, op: 2, launch: 3, kernel: 4, copy: 5, annotation: 6 } as const;
export type Category = (typeof categories)[keyof typeof categories];

export function categoryOf(name: string): Category {
  const word = name.toLowerCase();
  if (word === "python_function") return categories.python;
  if (word === "cpu_op" || word === "operator") return categories.op;
  if (word.endsWith("runtime") || word.endsWith("driver")) return categories.launch;
  if (word === "kernel") return categories.kernel;
  if (/^(gpu_)?mem(cpy|set)$/.test(word)) return categories.copy;
  return word === "user_annotation" ? categories.annotation : categories.other;
}

const stepName = /^ProfilerStep#(\d{1,9})$/;
export function profilerStepOf(name: string): number {
  const found = stepName.exec(name);
  return found === null ? -1 : Number(found[1]);
}

export const modulePrefix = "nn.Module: ";
