// Folded stacks → Execution: one line a stack, "root;caller;leaf 12". The counts have no unit, so they are samples. Lines that are none are counted, with the
// first one's number; a line begun with # or // is a comment.
import { err, type Result } from "#core/result.ts";
import { decodeText } from "../decode-text.ts";
import type { Execution } from "../execution.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { foldedFrame } from "./folded-frame.ts";

export const foldedLine = /^(.*\S)[ \t]+(\d+)(?:\.0+)?$/; // stack, count
const comment = /^\s*(#|\/\/)/;

export function readFolded(bytes: Uint8Array): Result<Execution, Refusal> {
  const execution = new StackExecution();
  const frameOf = new Map<string, number>();
  const skipped = { comments: 0, invalid: 0, firstInvalid: 0 };
  let stacks = 0;
  let pairs = 0; // lines with two counts, as the difference of two profiles has
  for (const [index, raw] of decodeText(bytes).split("\n").entries()) {
    const line = raw.trimEnd();
    if (line.trim() === "") continue;
    const [, stack = "", digits = ""] = comment.test(line) ? [] : (foldedLine.exec(line) ?? []);
    const count = Number(digits);
    if (comment.test(line)) skipped.comments++;
    else if (stack === "" || !Number.isSafeInteger(count)) {
      if (skipped.invalid++ === 0) skipped.firstInvalid = index + 1;
    } else {
      if (foldedLine.test(stack)) pairs++;
      stacks++;
      const frames = stack.split(";").map((name) => frame(name, execution, frameOf));
      execution.add(execution.stack(frames), { value: count, count });
    }
  }
  if (stacks > 0 && pairs === stacks) return err({ reason: "folded stacks with two counts a line: the difference of two profiles, not a recording", at: 0 });
  return execution.finish({ profileType: "samples", events: stacks, notes: notesOf(skipped) });
}

function frame(name: string, execution: StackExecution, known: Map<string, number>): number {
  let id = known.get(name);
  if (id === undefined) known.set(name, (id = execution.frame(foldedFrame(name))));
  return id;
}

function notesOf({ comments, invalid, firstInvalid }: { comments: number; invalid: number; firstInvalid: number }): string[] {
  const notes = ["Folded stacks carry counts without a unit: they are shown as samples"];
  if (invalid > 0) notes.push(`Lines that are no stack and count, skipped: ${invalid.toLocaleString("en-US")}, the first is line ${firstInvalid.toLocaleString("en-US")}`);
  if (comments > 0) notes.push(`Comment lines, skipped: ${comments.toLocaleString("en-US")}`);
  return notes;
}
