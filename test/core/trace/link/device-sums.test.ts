import { expect, test } from "vitest";
import { importDocument, importEvents, kernel, launch } from "../trace-text.ts";

const on = (device: number, stream: number) => ({ device, stream });
const copy = (name: string, us: number, bytes?: number) => ({ ph: "X", cat: "gpu_memcpy", name, pid: 0, tid: 7, ts: 500, dur: us, args: { device: 0, ...(bytes === undefined ? {} : { bytes }) } });

test("GPUs with their streams; kernels of two streams that overlap count once in the busy time", async () => {
  const execution = await importDocument({
    deviceProperties: [{ id: 0, name: "H100" }, { id: 1, name: "H200" }, { id: 2, name: "idle" }],
    traceEvents: [launch(1, [0, 1]), kernel(1, [10, 20], "a", on(0, 7)), kernel(1, [15, 25], "b", on(0, 9)), kernel(1, [12, 14], "inside", on(0, 9)), kernel(1, [100, 101], "c", on(0, 7)), kernel(1, [10, 13], "d", on(1, 7))],
  });
  expect(execution.devices).toEqual([{ device: 0, name: "H100", streams: 2, kernels: 4, value: 23_000, busyNs: 16_000 }, { device: 1, name: "H200", streams: 1, kernels: 1, value: 3000, busyNs: 3000 }]);
  expect(execution).toMatchObject({ busyNs: 19_000, device: "H100, H200" });
});

test("copies and fills by kind, with their bytes where the file says", async () => {
  const { copies } = await importEvents(launch(1, [0, 1]), kernel(1, [2, 3]), copy("Memcpy HtoD (Pageable -> Device)", 3, 4096), copy("Memcpy HtoD (Pageable -> Device)", 2, 1024), { ...copy("Memset (Device)", 1), cat: "gpu_memset" });
  expect(copies).toEqual([{ kind: "Memcpy HtoD (Pageable -> Device)", count: 2, durationNs: 5000, bytes: 5120 }, { kind: "Memset (Device)", count: 1, durationNs: 1000, bytes: 0 }]);
});

test.each([
  [{ distributedInfo: { backend: "nccl", rank: 3, world_size: 8 } }, 3, 8],
  [{ distributedInfo: { rank: 1 } }, 1, 0],
  [{}, -1, 0],
  [{ distributedInfo: "junk" }, -1, 0],
])("the rank as %j says", async (metadata, rank, worldSize) => expect(await importDocument({ ...metadata, traceEvents: [launch(1, [0, 1]), kernel(1, [2, 3])] })).toMatchObject({ rank, worldSize }));

test("the request a recording was made for", async () => {
  const recorded = { lamella_request: { label: "Slow", input_tokens: 1024, output_tokens: 128, latency_ns: 2_000_000_000 }, traceEvents: [launch(1, [0, 1]), kernel(1, [2, 3])] };
  expect((await importDocument(recorded)).request).toEqual({ label: "Slow", inputTokens: 1024, outputTokens: 128, latencyNs: 2_000_000_000 });
  expect((await importDocument({ ...recorded, lamella_request: [] })).request).toBeNull();
});
