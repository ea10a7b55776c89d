// Every module of a shape by (row, pattern of its path), with how often each pipeline stage holds it: 64 equal layers are one, however many modules the tree has.
// What is shared within a stage is held once there; shared across stages, both hold it (stage-sharing.ts).
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";
import { joinPath } from "../locate.ts";
import { isIndex } from "../../module-path.ts";
import { layersPerStage, type LayerList } from "./pipeline-stages.ts";
import { leftOut, type LeftOut } from "./stage-sharing.ts";
import { Steps, TooManySteps } from "../steps.ts";

export interface Holder {
  row: number;
  parent: number | undefined; // row of what holds it
  experts: number | null; // how many there are in the list of experts that it is part of
  steps: readonly string[]; // every index "*"
  path: string; // of one of them
  inLayers: boolean;
  met: Float64Array; // by stage: paths
  held: Float64Array; // by stage: paths that do not lead to what the stage holds already
  fewer: Map<number, Float64Array>; // tensor → by stage: of those, the ones whose tensor the stage holds already
}

type Context = Pick<Holder, "row" | "parent" | "experts" | "steps" | "path" | "inLayers">;

export function holdersOf(shape: ShapeBody, list: LayerList | undefined, stages: number): Result<{ holders: Holder[]; layers: number[] }, string> {
  const table = new HolderTable(shape, stages, list?.position ?? []);
  const root: Context = { row: shape.root, parent: undefined, experts: null, steps: [], path: "", inLayers: false };
  try {
    if (list === undefined) table.add(root, 0, 1, 1);
    const layers = list === undefined ? Array.from({ length: stages }, () => 0) : table.divide(root, list);
    const stage = list === undefined ? () => 0 : stageOf(list, layers, stages);
    for (const one of leftOut(shape, list, stage, new Steps("memoryStepsMax"))) table.leaveOut(root, one);
    return ok({ holders: table.all(), layers });
  } catch (error) {
    if (error instanceof TooManyHolders) return err(error.message);
    if (error instanceof TooManySteps) return err(`to find what each stage shares takes ${error.message}`);
    throw error;
  }
}

class TooManyHolders extends Error {}

// A stage has the layers of its range; what comes before them in the tree is on the first stage, what comes after on the last.
function stageOf(list: LayerList, layers: readonly number[], stages: number): (position: readonly number[]) => number {
  const stageOfLayer = layers.flatMap((count, stage) => Array.from({ length: count }, () => stage));
  return (position) => {
    for (const [level, at] of list.position.entries()) {
      if (position[level] === undefined || position[level] < at) return 0;
      if (position[level] > at) return stages - 1;
    }
    const layer = position[list.position.length];
    return layer === undefined || layer < 0 ? 0 : stageOfLayer[layer]!;
  };
}

class HolderTable {
  readonly #shape: ShapeBody;
  readonly #stages: number;
  readonly #rows: Map<string, Holder>[];
  readonly #indexed = new Map<number, boolean>(); // rows whose children are all numbered
  #cells = 0;
  readonly #list: readonly number[]; // position of the list of layers
  readonly #above: Holder[] = []; // what holds the list, from the root on, and the list: their children are dealt with one by one

  constructor(shape: ShapeBody, stages: number, list: readonly number[]) {
    this.#shape = shape;
    this.#stages = stages;
    this.#list = list;
    this.#rows = shape.modules.map(() => new Map());
  }

  add(context: Context, stage: number, held: number, met: number): void {
    const holder = this.#at(context);
    holder.held[stage]! += held;
    holder.met[stage]! += met;
  }

  leaveOut(root: Context, { position, tensor, stage, layers }: LeftOut): void {
    const context = this.#contextAt(root, position);
    if (tensor === undefined) return this.add(context, stage, -1, layers ? -1 : 0);
    const { fewer } = this.#above.find(({ path }) => path === context.path) ?? this.#at(context);
    const counts = fewer.get(tensor) ?? new Float64Array(this.#stages);
    counts[stage]! += 1;
    fewer.set(tensor, counts);
  }

  // Everything around the list, and its layers stage by stage. Answers the number of layers of each stage.
  divide(root: Context, list: LayerList): number[] {
    let context = root;
    for (const next of list.position) {
      this.#lone(context);
      const { children } = this.#shape.modules[context.row]!;
      for (const [at, child] of children.entries()) if (at !== next) this.add(this.#child(context, child), at < next ? 0 : this.#stages - 1, 1, 1);
      context = this.#child(context, children[next]!);
    }
    this.#lone(context);
    const { children } = this.#shape.modules[context.row]!;
    const layers = layersPerStage(children.length, this.#stages);
    let at = 0;
    for (const [stage, count] of layers.entries()) for (const end = at + count; at < end; at++) this.add({ ...this.#child(context, children[at]!), inLayers: true }, stage, 1, 1);
    return layers;
  }

  #contextAt(root: Context, position: readonly number[]): Context {
    let { row, parent, experts, inLayers } = root;
    const [steps, names]: [string[], string[]] = [[], []];
    let toList = true;
    for (const [level, at] of position.entries()) {
      const { children } = this.#shape.modules[row]!;
      inLayers ||= toList && level === this.#list.length && this.#above.length > 0;
      toList &&= at === this.#list[level];
      experts = this.#expertsOf(row, experts, steps.at(-1));
      const { name, module } = children[at]!;
      [parent, row] = [row, module];
      steps.push(isIndex(name) ? "*" : name);
      names.push(name);
    }
    return { row, parent, experts, inLayers, steps, path: names.join(".") };
  }

  // Parents before children, so that each is complete when its children are counted.
  all(): Holder[] {
    const holders = [...this.#above];
    for (let row = this.#rows.length - 1; row >= 0; row--) {
      for (const holder of this.#rows[row]!.values()) {
        holders.push(holder);
        for (const child of this.#shape.modules[row]!.children) {
          const { met, held } = this.#at(this.#child(holder, child));
          for (let stage = 0; stage < this.#stages; stage++) {
            met[stage]! += holder.met[stage]!;
            held[stage]! += holder.held[stage]!;
          }
        }
      }
    }
    return holders;
  }

  #lone(context: Context): void {
    const { met, held, ...rest } = this.#fresh(context);
    met[0] = held[0] = 1;
    this.#above.push({ met, held, ...rest });
  }

  #child({ row, steps, path, experts, inLayers }: Context, { name, module }: { name: string; module: number }): Context {
    return { row: module, parent: row, experts: this.#expertsOf(row, experts, steps.at(-1)), steps: [...steps, isIndex(name) ? "*" : name], path: joinPath(path, name), inLayers };
  }

  // Of the children of a row: how many experts they are.
  #expertsOf(row: number, experts: number | null, name: string | undefined): number | null {
    return name === "experts" && experts === null && this.#isList(row) ? this.#shape.modules[row]!.children.length : experts;
  }

  #isList(row: number): boolean {
    let known = this.#indexed.get(row);
    if (known === undefined) this.#indexed.set(row, (known = this.#shape.modules[row]!.children.every(({ name }) => isIndex(name))));
    return known;
  }

  #at(context: Context): Holder {
    const { row, parent, experts, steps, inLayers } = context;
    const key = `${parent} ${experts} ${inLayers ? 1 : 0} ${steps.join(".")}`;
    let holder = this.#rows[row]!.get(key);
    if (holder === undefined) this.#rows[row]!.set(key, (holder = this.#fresh(context)));
    return holder;
  }

  #fresh(context: Context): Holder {
    this.#cells += this.#stages;
    if (this.#cells > limits.memoryCellsMax) throw new TooManyHolders(`modules told apart × stages are more than memoryCellsMax = ${limits.memoryCellsMax}`);
    return { ...context, met: new Float64Array(this.#stages), held: new Float64Array(this.#stages), fewer: new Map() };
  }
}
