// The file that is open in this window and the worker that reads it: one at a time. It outlives the page, so that coming back to it does not read it again.
import type { FileFlamegraphQuery } from "#core/file-view/file-flamegraph.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FromWorker, OpenedFile, Refused, ToWorker } from "./file-messages.ts";

export type FileState =
  | { readonly phase: "none" }
  | { readonly phase: "reading"; readonly file: File; readonly bytes: number; readonly pass: number }
  | { readonly phase: "open"; readonly file: File; readonly opened: OpenedFile; readonly cutShort: boolean }
  | { readonly phase: "refused"; readonly file: File; readonly refused: Refused }
  | { readonly phase: "failed"; readonly file: File; readonly message: string };

let state: FileState = { phase: "none" };
let worker: Worker | null = null;
let questions = 0;
const waiting = new Map<number, { readonly answered: (graph: Flamegraph) => void; readonly dropped: (reason: Error) => void }>();
const listeners = new Set<() => void>();

export function fileState(): FileState {
  return state;
}

export function onFileState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(next: FileState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function openFile(file: File): void {
  if (state.phase !== "none" && state.file === file) return;
  stop();
  worker = new Worker(new URL("./file-worker.ts", import.meta.url), { type: "module" });
  worker.addEventListener("message", (event: MessageEvent<FromWorker>) => heard(file, event.data));
  worker.addEventListener("error", () => end({ phase: "failed", file, message: "The reader stopped. The file may need more memory than this browser gives a page." }));
  become({ phase: "reading", file, bytes: 0, pass: 1 });
  send({ type: "open", file });
}

export function stopReading(): void {
  end({ phase: "none" });
}

export function askFlamegraph(query: FileFlamegraphQuery): Promise<Flamegraph> {
  return new Promise((answered, dropped) => {
    waiting.set(++questions, { answered, dropped });
    send({ type: "flamegraph", question: questions, query });
  });
}

function send(message: ToWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker?.postMessage(message);
}

// Who still waits is told: a question that is never answered would keep its query pending, also for the same file opened again.
function stop(): void {
  worker?.terminate();
  worker = null;
  for (const { dropped } of waiting.values()) dropped(new Error("The file was closed"));
  waiting.clear();
}

function end(next: FileState): void {
  stop();
  become(next);
}

function heard(file: File, message: FromWorker): void {
  switch (message.type) {
    case "read":
      return become({ phase: "reading", file, bytes: message.bytes, pass: message.pass });
    case "opened":
      return become({ phase: "open", file, opened: message.opened, cutShort: message.cutShort });
    case "refused":
      return end({ phase: "refused", file, refused: message.refused });
    case "failed":
      return end({ phase: "failed", file, message: message.message });
    case "answer":
      waiting.get(message.question)?.answered(message.graph);
      waiting.delete(message.question);
  }
}
