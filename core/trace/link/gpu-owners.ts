// Whose launches a GPU runs, in a file that several processes launch in (ranks merged into one). Each process counts its correlation ids by itself, so an id alone does
// not tell them apart, nor do the profiler's ac2g arrows: their id is the correlation. What does:
//   the pid of the kernels   the pid of a process, its label ("[TP01] 0" beside "[TP01] 5120") or its block of numbers (100000000 beside 100005120): gpu-pids.ts
//   the ids a GPU ran        a process that launched none of an id it had already reached did not launch that kernel, nor one that launched it only after it ran
//   what is left             a process that launches kernels has a GPU: where only one is left for it, that one
// A GPU of which this leaves several processes, or on which it contradicts itself, has no owner; what becomes of its kernels is in launch-index.ts.
import { PidNames, processesByPid } from "./gpu-pids.ts";
import type { TextTable } from "../read/text-table.ts";
import type { LaunchIndex } from "./launch-index.ts";
import type { TraceTables } from "./trace-tables.ts";

// Kernels whose id a process launched; of an id it should have launched, and did not; that ran before it launched them.
type Evidence = { launched: number; lost: number; early: number };
type Gpu = { pid: number; ofProcess: Map<number, Evidence>; told: Set<number> }; // pid: text id, of its kernels; told: owners that answers gave

// Launches are lost and clocks differ now and then: as many kernels of a hundred may speak against a process. None does in 39 public traces, where kernels start 2 µs
// after their launch at the least: of processes that are left, those none of whose kernels ran early come first.
const doubtsPerHundredMax = 1;
const startsKernels = /launch/i;

export class GpuOwners {
  private readonly lowestLaunched: ReadonlyMap<number, number>;
  private readonly gpus = new Map<number, Map<number, Gpu>>(); // pid of the kernels → device
  private readonly launching = new Set<number>(); // processes that launch kernels
  private readonly names = new PidNames();
  private owners: ReadonlyMap<Gpu, number> | undefined; // undefined = to be found out again

  // `lowestLaunched`: process → the lowest id it launched; all processes of the file.
  constructor(lowestLaunched: ReadonlyMap<number, number>) {
    this.lowestLaunched = lowestLaunched;
  }

  // One process: all is its own, and nothing is to be learned.
  get several(): boolean {
    return this.lowestLaunched.size > 1;
  }

  learn({ calls, kernels, launches, threads }: TraceTables, index: LaunchIndex, texts: TextTable): void {
    for (let i = 0; i < launches.call.length; i++) {
      const row = launches.call.values[i]!;
      const { process } = threads[calls.thread.values[row]!]!;
      this.names.learn(process, texts);
      if (startsKernels.test(texts.text(calls.name.values[row]!))) this.launching.add(process);
    }
    for (let k = 0; k < kernels.length; k++) {
      this.names.learn(kernels.process.values[k]!, texts);
      const gpu = this.gpu(kernels.process.values[k]!, kernels.device.values[k]!);
      const id = kernels.correlation.values[k]!;
      if (id === 0) continue;
      for (const [process, lowest] of this.lowestLaunched) {
        if (id < lowest) continue; // launched before the recording
        let evidence = gpu.ofProcess.get(process);
        if (evidence === undefined) gpu.ofProcess.set(process, (evidence = { launched: 0, lost: 0, early: 0 }));
        const first = index.firstOf(id, process);
        if (first < 0) evidence.lost++;
        else evidence[kernels.start.values[k]! < calls.start.values[first]! ? "early" : "launched"]++;
      }
    }
    this.owners = undefined;
  }

  // Text id of a process; -1 = the file does not say.
  ownerOf(pid: number, device: number): number {
    const gpu = this.gpu(pid, device);
    const owner = this.found().get(gpu) ?? -1;
    gpu.told.add(owner);
    return owner;
  }

  // An owner given is another one now.
  get outdated(): boolean {
    const owners = this.found();
    return this.all().some((gpu) => gpu.told.size > 1 || (gpu.told.size === 1 && !gpu.told.has(owners.get(gpu) ?? -1)));
  }

  private found(): ReadonlyMap<Gpu, number> {
    return (this.owners ??= this.findOut());
  }

  private findOut(): Map<Gpu, number> {
    const gpus = this.all();
    const byPid = processesByPid([...this.gpus.keys()], [...this.lowestLaunched.keys()], this.launching, this.names);
    const candidates = new Map(gpus.map((gpu) => [gpu, this.candidatesFor(gpu, byPid.get(gpu.pid))]));
    const choicesOf = (process: number): Gpu[] => gpus.filter((gpu) => candidates.get(gpu)!.includes(process));
    for (let settled = -1, before = -2; settled !== before; ) {
      before = settled;
      const onlyChoice = new Map<Gpu, number[]>();
      for (const process of this.launching) {
        const choices = choicesOf(process);
        if (choices.length === 1) onlyChoice.set(choices[0]!, [...(onlyChoice.get(choices[0]!) ?? []), process]);
      }
      for (const [gpu, processes] of onlyChoice) if (processes.length === 1) candidates.set(gpu, processes);
      settled = gpus.filter((gpu) => candidates.get(gpu)!.length === 1).length;
    }
    // A process that launches kernels and is left without a GPU: what the others got may be its.
    if ([...this.launching].some((process) => choicesOf(process).length === 0)) return new Map();
    return new Map(gpus.flatMap((gpu) => (candidates.get(gpu)!.length === 1 ? [[gpu, candidates.get(gpu)![0]!]] : [])));
  }

  // `byPid`: the processes its pid names.
  private candidatesFor(gpu: Gpu, byPid: readonly number[] | undefined): readonly number[] {
    if (byPid?.length === 1) return byPid;
    const left = (byPid ?? [...this.lowestLaunched.keys()]).filter((process) => {
      const { launched, lost, early } = gpu.ofProcess.get(process) ?? { launched: 0, lost: 0, early: 0 };
      return launched > 0 && (lost + early) * 100 <= launched * doubtsPerHundredMax;
    });
    const never = left.filter((process) => gpu.ofProcess.get(process)!.early === 0);
    return never.length > 0 ? never : left;
  }

  private all(): Gpu[] {
    return [...this.gpus.values()].flatMap((byDevice) => [...byDevice.values()]);
  }

  private gpu(pid: number, device: number): Gpu {
    let byDevice = this.gpus.get(pid);
    if (byDevice === undefined) this.gpus.set(pid, (byDevice = new Map()));
    let gpu = byDevice.get(device);
    if (gpu === undefined) byDevice.set(device, (gpu = { pid, ofProcess: new Map(), told: new Set() }));
    return gpu;
  }
}
