// What a person must know of an imported model_execution.json: what its tool left out, with sizes, and what could not be taken as it was. Times and lists of
// the file are read through it, so that nothing is repaired unseen.
import { countText, durationText, plural } from "../../quantity.ts";
import { numberOf, objectsOf, textOf } from "../json-fields.ts";
import type { FileModule, FileOp, ModelExecutionFile } from "./model-execution-file.ts";

const runsNamed = 8; // of the runs, and of the file's own notes
const charactersShown = 300; // of a text of the file inside a note

export type Taken = { moduleCalls: number; kernels: number; gpuNs: number; namesCut: number };

export class ModelExecutionNotes {
  private readonly file: ModelExecutionFile;
  private readonly runs: { className: string; repeat: number }[] = [];
  private readonly counts = { impossible: 0, finer: 0, lists: 0 };

  constructor(file: ModelExecutionFile) {
    this.file = file;
  }

  // µs as the file has them → whole ns. Absent is 0; what is no number, below 0 or over 2^53 ns (104 days) is read as 0 and counted.
  ns(us: unknown): number {
    if (us === undefined) return 0;
    const ns = typeof us === "number" ? Math.round(us * 1e3) : Number.NaN;
    if (!(ns >= 0 && ns <= Number.MAX_SAFE_INTEGER)) {
      this.counts.impossible++;
      return 0;
    }
    if (ns % 100 !== 0) this.counts.finer++;
    return ns;
  }

  // Host times of the other copies a node stands for, in µs; of one that is no run: none. `inRun`: it lies in another run, whose copies all_layer_durs is of.
  otherCopies({ repeat, per_layer_dur: own, all_layer_durs: all }: FileModule, className: string, inRun: boolean): readonly unknown[] {
    if (typeof repeat !== "number" || !(repeat >= 2)) return [];
    this.runs.push({ className, repeat });
    const list = [own, inRun ? undefined : all].find((times) => Array.isArray(times) && times.length === repeat);
    if (list === undefined) this.counts.lists++;
    return list?.slice(1) ?? [];
  }

  // Host times of a place in the other copies of the run around it, in µs.
  timesIn<Copy>({ all_layer_durs: all }: FileModule | FileOp, copies: readonly Copy[]): { copy: Copy; us: unknown }[] {
    if (copies.length === 0) return [];
    if (Array.isArray(all) && all.length === copies.length + 1) return copies.map((copy, i) => ({ copy, us: all[i + 1] }));
    this.counts.lists++;
    return [];
  }

  all(taken: Taken): string[] {
    const { impossible, finer, lists } = this.counts;
    const counted: [string, number][] = [
      ["Kernel names the file cuts at 80 characters", taken.namesCut],
      ["Lists of host times that do not have one for every copy of their run, left out", lists],
      ["Times that are no number, below 0 or over 104 days, read as 0", impossible],
    ];
    return [
      ...this.wholeRecording(taken), ...this.leftOutOfRuns(), ...this.ownNotes(), ...counted.flatMap(([what, count]) => (count > 0 ? [`${what}: ${countText(count)}`] : [])),
      ...(finer === 0 ? ["No time of the file is finer than a tenth of a microsecond"] : []),
    ];
  }

  private wholeRecording({ moduleCalls, kernels, gpuNs }: Taken): string[] {
    const [allCalls, allKernels] = [numberOf(this.file.stats?.total_nn_module_events), numberOf(this.file.stats?.total_kernels)];
    if (allKernels <= kernels && allCalls <= moduleCalls) return [];
    const summary = objectsOf(Object.values(this.file.kernel_summary ?? {}));
    const summaryNs = summary.reduce((sum, { total_dur_us: us }) => sum + this.ns(us), 0);
    return [
      `Of the recording's ${plural(allCalls, "module call", "module calls")} and ${plural(allKernels, "kernel", "kernels")} the file has ${countText(moduleCalls)} and ${countText(kernels)}: it may lack later calls of the model, the kernels of copies, and of an operator's kernels all but the first`,
      ...(summaryNs > gpuNs ? [`Its ${plural(summary.length, "longest kernel", "longest kernels")} took ${durationText(summaryNs)} in the whole recording; ${durationText(gpuNs)} of GPU time is placed here`] : []),
    ];
  }

  private ownNotes(): string[] {
    const { notes } = this.file;
    return Array.isArray(notes) ? notes.slice(0, runsNamed).map((note) => `The file says: ${shortened(textOf(note))}`) : [];
  }

  private leftOutOfRuns(): string[] {
    const named = this.runs.slice(0, runsNamed).map(({ className, repeat }) => {
      const others = repeat === 2 ? "the other" : `the other ${countText(repeat - 1)}`;
      return `Of ${countText(repeat)} × ${shortened(className)} the file has the kernels of the first only: the GPU time of ${others} is missing`;
    });
    const rest = this.runs.slice(runsNamed);
    const missing = rest.reduce((sum, { repeat }) => sum + repeat - 1, 0);
    return rest.length === 0 ? named : [...named, `${plural(rest.length, "more run", "more runs")} with the kernels of the first only: the GPU time of ${countText(missing)} copies is missing`];
  }
}

function shortened(text: string): string {
  return text.length > charactersShown ? `${text.slice(0, charactersShown)}…` : text;
}
