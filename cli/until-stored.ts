// Waits until what was accepted is stored: asks often at first, then every second.
import { CliError } from "./cli-error.ts";

const storedWithinMs = 120_000;

// `what` as in "The workload was accepted".
export async function untilStored(what: string, isStored: () => Promise<boolean>): Promise<void> {
  const startedAt = Date.now();
  for (let wait = 100; !(await isStored()); wait = Math.min(wait * 1.5, 1_000)) {
    if (Date.now() - startedAt > storedWithinMs) {
      throw new CliError(`The ${what} was accepted but is not stored after ${storedWithinMs / 1_000} s. It will show when the store has taken it: see \`lamella status\` and \`lamella quarantine list\`.`, "not_stored_yet");
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}
