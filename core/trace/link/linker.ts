// What the reader collected → samples, module times, steps. Linked stretch by stretch (stretch.ts): what outlives a stretch is here, its rows are forgotten.
import type { ExecutionModule, ModuleFrameName } from "../execution.ts";
import { FrameTable } from "../frame-table.ts";
import type { TextTable } from "../read/text-table.ts";
import { SampleSum } from "../sample-sum.ts";
import { CallStacks } from "./call-stacks.ts";
import { capturedGraphs, type CapturedGraph } from "./captured-graphs.ts";
import { Foreknowledge } from "./foreknowledge.ts";
import { GraphReplays } from "./graph-replay.ts";
import { linkKernels } from "./link-kernels.ts";
import type { MappedModule } from "./module-map.ts";
import { ModulePlaces } from "./module-places.ts";
import { ModuleTimes } from "./module-times.ts";
import { moduleTree } from "./module-tree.ts";
import { nest } from "./nest.ts";
import { Operations } from "./operations.ts";
import { operatorTime } from "./operator-time.ts";
import { Steps } from "./steps.ts";
import { newStretch } from "./stretch.ts";
import type { FileFacts, TraceTables } from "./trace-tables.ts";

export type LinkOptions = {
  frameName: ModuleFrameName;
  modelName: string; // "" = unknown
  map: ReadonlyMap<string, MappedModule>; // the recorder's
  captures: readonly CapturedGraph[]; // of other files
  onGpu: boolean; // the file has kernels
  facts: FileFacts;
  known?: Foreknowledge | undefined; // of a reading before
  onlyStep: number; // what belongs to no other step; 0 = everything
};

export class Linker {
  readonly frames = new FrameTable();
  readonly sum = new SampleSum();
  readonly steps: Steps;
  readonly places: ModulePlaces;
  readonly stacks: CallStacks;
  readonly times: ModuleTimes;
  readonly operations: Operations;
  readonly replays: GraphReplays;
  readonly counts = {
    crossings: 0, // calls that end after the call they started in
    forwardMissing: 0, // backward operators without their forward operator
    accumulated: 0, // gradients accumulated that were placed by order
    startedBeforeLaunch: 0, // clock skew between host and GPU
    ambiguous: 0, // kernels of which nothing says which of several processes launched them
    launchesWithoutKernel: 0,
    replayed: 0, // kernels of graph replays
    replayedMapped: 0, // of these, mapped to the launches they were captured from
    negativeSelf: 0, // operators whose inner ones last longer than they do
  };
  capturedHere = 0; // graphs whose capture the file itself shows
  readonly tables: TraceTables;
  readonly texts: TextTable;
  readonly options: LinkOptions;
  readonly known: Foreknowledge;

  constructor(tables: TraceTables, texts: TextTable, options: LinkOptions) {
    this.tables = tables;
    this.texts = texts;
    this.options = options;
    const { frameName, modelName, map } = options;
    this.known = options.known ?? new Foreknowledge(options.facts);
    this.known.complete = options.known !== undefined;
    this.steps = new Steps(options.facts);
    this.places = new ModulePlaces(texts, this.frames, { map, frameName, modelName }, this.known);
    this.stacks = new CallStacks(this.places, this.frames, texts);
    this.times = new ModuleTimes(this.places);
    this.operations = new Operations(texts, this.stacks, this.places);
    this.replays = new GraphReplays(options.captures);
  }

  takes(step: number): boolean {
    return this.options.onlyStep === 0 || step === this.options.onlyStep;
  }

  // Links what the tables hold, and empties them. `settledNs`: no kernel of a later stretch starts before it.
  linkStretch(settledNs = Number.POSITIVE_INFINITY): void {
    const { tables, texts, places, stacks, steps, times, operations, counts } = this;
    const nesting = nest(tables.calls, tables.threads.length);
    const stretch = newStretch(tables, nesting, places, texts, this.known);
    stacks.begin(stretch);
    steps.begin(stretch, places);
    times.begin(stretch);
    const takes = (row: number): boolean => this.options.onlyStep === 0 || this.takes(steps.of(row));
    operations.begin(stretch, takes);
    const captured = capturedGraphs(stretch, stacks, steps, this.frames.frames, texts);
    this.capturedHere += captured.length;
    this.replays.add(captured);
    if (this.options.onGpu) linkKernels(this, stretch);
    else operatorTime(this, stretch);
    steps.end(tables.kernels, settledNs);
    times.end(takes);
    tables.sums.addKernels(tables.kernels, settledNs);
    counts.crossings += nesting.crossings;
    counts.forwardMissing += stretch.backward.unlinked;
    counts.accumulated += stretch.backward.accumulated;
    tables.forget();
  }

  modules(): ExecutionModule[] {
    return moduleTree(this.places, this.times);
  }
}
