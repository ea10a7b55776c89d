// What all parts of the page share: the requests of the run, which of them are shown, which one is selected, and the way to change what the URL holds.
import type { Requests } from "#core/workload/requests.ts";
import type { ChangeWorkload } from "../../app/url-state.ts";

export type Selection = {
  readonly requests: Requests;
  readonly rows: Uint32Array; // shown, in the order of the file
  readonly some: Requests; // those rows as a run of their own; all requests when nothing narrows them down
  readonly selected: number | null;
  readonly change: ChangeWorkload;
};
