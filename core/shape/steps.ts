// The work of one question about a model, counted while it is done: what a sender makes dear on purpose is refused by name and in about a second, never walked
// for minutes. A step is about 10 ns on one core of 2024.
import { limits, type Limit } from "#schema/limits.ts";

export class Steps {
  readonly #limit: Limit;
  #taken = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  take(steps: number): void {
    if ((this.#taken += steps) > limits[this.#limit]) throw new TooManySteps(`more than ${this.#limit} = ${limits[this.#limit]} steps`);
  }
}

// Thrown in the middle of a walk, and turned into an answer by whoever asked.
export class TooManySteps extends Error {}
