// Which module call the work of a host call belongs to: the nearest module around it on its thread, and in the backward pass the module of the forward
// operator. A module that runs inside a backward operator with no module between (activation checkpointing computes it again) belongs to itself; it is part
// of the step of the forward it is computed again for.
import type { BackwardLinks } from "./backward-links.ts";
import type { Nesting } from "./nest.ts";

const unknown = -2;

export class Attribution {
  private readonly enclosing: Int32Array; // row → innermost module around it on its thread, not itself; -1 = none
  private readonly backward: BackwardLinks;
  private readonly nesting: Nesting;
  private readonly innermost: Int32Array; // row → what innermostModule answers; gradients of gradients make long ways
  private readonly roots: Int32Array; // row of a module → the outermost one around it

  constructor(enclosing: Int32Array, backward: BackwardLinks, nesting: Nesting) {
    this.enclosing = enclosing;
    this.backward = backward;
    this.nesting = nesting;
    this.innermost = new Int32Array(enclosing.length).fill(unknown);
    this.roots = new Int32Array(enclosing.length).fill(unknown);
  }

  // Row of the innermost module call; -1 = outside any. A module's own row gives the module around it.
  innermostModule(row: number): number {
    const passed: number[] = [];
    let at = row;
    for (; this.innermost[at] === unknown; at = this.backward.forwardOf.get(this.backward.within[at]!)!) {
      if (this.backward.within[at]! < 0) this.innermost[at] = this.enclosing[at]!;
      else passed.push(at);
      if (this.innermost[at] !== unknown) break;
    }
    const found = this.innermost[at]!;
    for (const one of passed) this.innermost[one] = found;
    return found;
  }

  // A module computed again inside the backward pass, not called by another module there.
  isRecomputed(module: number): boolean {
    const parent = this.nesting.parent[module]!;
    return this.enclosing[module]! < 0 && parent >= 0 && this.backward.backward[parent] === 1;
  }

  // Row of the outermost module around a call; -1 = none.
  rootModule(row: number): number {
    const passed: number[] = [];
    let root = -1;
    for (let module = this.innermostModule(row); module >= 0; ) {
      if (this.roots[module] !== unknown) {
        root = this.roots[module]!;
        break;
      }
      passed.push(module);
      root = module;
      const outer = this.innermostModule(module);
      module = outer < 0 && this.isRecomputed(module) ? this.innermostModule(this.nesting.parent[module]!) : outer;
    }
    for (const one of passed) this.roots[one] = root;
    return root;
  }
}
