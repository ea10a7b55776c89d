// Reads a dropped file beside the page, so that the page stays alive, and keeps the trace for the views that are asked of it.
import { fileFlamegraph, type OpenedTrace } from "#core/file-view/file-flamegraph.ts";
import { FileChunks } from "./file-chunks.ts";
import type { FromWorker, ToWorker } from "./file-messages.ts";
import { readOpened } from "./read-opened.ts";

const toldEveryMs = 100;
let trace: OpenedTrace | null = null;
let toldAt = 0;

function tell(message: FromWorker): void {
  postMessage(message);
}

async function open(file: File): Promise<void> {
  const chunks = new FileChunks(file, (bytes, pass) => {
    if (performance.now() - toldAt < toldEveryMs) return;
    toldAt = performance.now();
    tell({ type: "read", bytes, pass });
  });
  const read = await readOpened(chunks);
  if (!read.ok) return tell({ type: "refused", refused: read.error });
  trace = read.value.trace;
  tell({ type: "opened", opened: read.value.opened, cutShort: chunks.cutShort });
}

addEventListener("message", (event: MessageEvent<ToWorker>) => {
  const told = event.data;
  if (told.type === "open") open(told.file).catch((error: unknown) => tell({ type: "failed", message: error instanceof Error ? error.message : String(error) }));
  else if (trace !== null) tell({ type: "answer", question: told.question, graph: fileFlamegraph(trace, told.query) });
});
