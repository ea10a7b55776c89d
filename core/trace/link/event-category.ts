// What a trace category means to us. The names changed over the years (Operator → cpu_op, Runtime → cuda_runtime) and differ between vendors
// (hip*, mtia_*), so launches are recognised by what the category ends with, never by a list of call names.

export const categories = { other: 0, python: 1, op: 2, launch: 3, kernel: 4, copy: 5, annotation: 6, forwardBackward: 7 } as const;
export type Category = (typeof categories)[keyof typeof categories];

export function categoryOf(name: string): Category {
  const word = name.toLowerCase();
  if (word === "python_function") return categories.python;
  if (word === "cpu_op" || word === "operator") return categories.op;
  if (word.endsWith("runtime") || word.endsWith("driver")) return categories.launch;
  if (word === "kernel") return categories.kernel;
  if (/^(gpu_)?mem(cpy|set)$/.test(word)) return categories.copy;
  if (isForwardBackward(word)) return categories.forwardBackward;
  return word === "user_annotation" ? categories.annotation : categories.other;
}

// Of the profiler's arrows, those from a forward operator to the backward operator of its gradient.
export function isForwardBackward(name: string): boolean {
  return name === "fwdbwd" || name === "forward_backward";
}

export const modulePrefix = "nn.Module: ";
