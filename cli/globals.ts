// Options every subcommand takes.
import { type Api, openApi } from "./api.ts";
import type { Output } from "./output.ts";
import { findServer } from "./server.ts";

export type Globals = { readonly dataDir?: string; readonly json?: boolean };

export function apiOf(globals: Globals): Api {
  return openApi(findServer(globals.dataDir));
}

export function outputOf(globals: Globals): Output {
  return { json: globals.json === true };
}

export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
