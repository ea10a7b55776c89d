// The samples that a command is about: live ones of a range, or those of an execution.
import type { Command } from "commander";
import { profileTypes } from "#schema/frame-kinds.ts";
import type { Api } from "./api.ts";
import { wholeExecutionId } from "./find-execution.ts";

export type Selection = { readonly from: string; readonly to: string; readonly filter?: string; readonly type?: string; readonly execution?: string };

export function selecting(command: Command): Command {
  return command
    .option("--from <time>", "start: -1h, -7d, Unix seconds or ISO time", "-1h")
    .option("--to <time>", "end", "now")
    .option("--filter <filter>", 'e.g. host.name == "node-7"')
    .option("--type <type>", profileTypeHelp)
    .option("--execution <id>", executionHelp);
}

export const profileTypeHelp = `profile type: ${Object.keys(profileTypes).join(", ")}`;
export const executionHelp = "an execution id (12 digits are enough), latest, or live";

export async function selectionOf(api: Api, { from, to, filter, type, execution }: Selection) {
  return { from, to, filter, type, execution: await wholeExecutionId(api, execution) };
}

// How stacks are shown: the same words wherever a command prints or writes them.
export type StackViewOptions = { readonly layers?: string; readonly hide?: string; readonly invert?: boolean };

export function viewing(command: Command, invertHelp: string): Command {
  return command
    .option("--layers <show|hide|fold>", "show or hide Model Layer frames, or make one frame of the same layer of every block")
    .option("--hide <kinds>", "frame kinds to take out of every stack, comma-separated")
    .option("--invert", invertHelp);
}
