// Host times of copies as model_execution.json has them: µs, exact to the nanosecond, with mean, least and most.
export const microseconds = (ns: number): number => ns / 1e3;

// `of`: "_dur" for modules, "" for operators; their keys differ.
export function timesOfCopies(ns: readonly number[], of: "_dur" | ""): Record<string, number | number[]> {
  const sum = ns.reduce((total, one) => total + one, 0);
  return {
    [`avg${of}_us`]: microseconds(Math.round(sum / ns.length)), [`min${of}_us`]: microseconds(ns.reduce((a, b) => Math.min(a, b))), [`max${of}_us`]: microseconds(ns.reduce((a, b) => Math.max(a, b))),
    all_layer_durs: ns.map(microseconds),
  };
}
