// The reader of the open file ends with it, and so does whatever was still asked of it.
import { afterEach, expect, test, vi } from "vitest";
import { askFlamegraph, fileState, openFile, stopReading } from "#dashboard/pages/file/opened-file.ts";

afterEach(() => vi.unstubAllGlobals());

test("a question that the reader of a closed file never answers is dropped, so that the same file can be opened again", async () => {
  const ended = vi.fn();
  vi.stubGlobal("Worker", class extends EventTarget { postMessage = () => undefined; terminate = ended; });
  openFile(new File(["main 1"], "a.folded"));
  const first = askFlamegraph({});
  openFile(new File(["main 1"], "a.folded"));
  await expect(first).rejects.toThrow("closed");
  const second = askFlamegraph({});
  stopReading();
  await expect(second).rejects.toThrow("closed");
  expect([ended.mock.calls.length, fileState().phase]).toEqual([2, "none"]);
});
