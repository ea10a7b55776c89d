// What the pids of kernels say of the process that launched them. Written by the profiler they are device numbers; who merges the files of several ranks marks all
// pids of a rank: puts a label before them, adds a number to them, or writes the rank in their place.
import type { TextTable } from "../read/text-table.ts";

const blockMin = 100; // the numbers that are added lie 500 to 100,000,000 apart; device numbers lie closer

type PidName = { label: string; number: number }; // "[TP01] 5120" → "[TP01] " and 5120; number NaN = it ends in none

export class PidNames {
  private readonly names = new Map<number, PidName>(); // text id

  learn(pid: number, texts: TextTable): void {
    if (this.names.has(pid)) return;
    const [, label = "", digits = ""] = /^(.*?)(\d*)$/s.exec(texts.text(pid)) ?? [];
    this.names.set(pid, { label, number: digits === "" ? Number.NaN : Number(digits) });
  }

  // Of one not met yet: nothing.
  of(pid: number): PidName {
    return this.names.get(pid) ?? { label: "", number: Number.NaN };
  }
}

// Pid of kernels → the processes it names, where it names any. All are text ids. `launching`: of the processes, those that launch kernels.
export function processesByPid(gpuPids: readonly number[], processes: readonly number[], launching: ReadonlySet<number>, names: PidNames): Map<number, number[]> {
  if (gpuPids.every((pid) => processes.includes(pid))) return new Map(gpuPids.map((pid) => [pid, [pid]]));
  const named = new Map<number, number[]>();
  for (const pid of gpuPids) {
    const { label } = names.of(pid);
    const alike = label === "" ? [] : processes.filter((process) => names.of(process).label === label);
    if (alike.length > 0) named.set(pid, alike);
  }
  return named.size > 0 ? named : byBlock(gpuPids, launching, names);
}

// Each block begins with the pid of its kernels and holds one process that launches some.
function byBlock(gpuPids: readonly number[], launching: ReadonlySet<number>, names: PidNames): Map<number, number[]> {
  const starts = gpuPids.map((pid) => ({ pid, ...names.of(pid) })).sort((a, b) => a.number - b.number);
  const blocks = new Map<number, number[]>();
  if (starts.length < 2 || starts.some(({ label, number }) => label !== "" || Number.isNaN(number))) return blocks;
  for (const [i, { pid, number }] of starts.entries()) {
    const next = starts[i + 1]?.number ?? Number.POSITIVE_INFINITY;
    const within = [...launching].filter((process) => names.of(process).label === "" && names.of(process).number > number && names.of(process).number < next);
    if (next - number < blockMin || within.length !== 1) return new Map();
    blocks.set(pid, within);
  }
  return blocks;
}
