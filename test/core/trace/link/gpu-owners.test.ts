// Several ranks in one file: each process counts its correlation ids by itself, so the same id is launched twice. Whose a kernel is, is what the events say.
import { describe, expect, test } from "vitest";
import { importEvents, kernel, launch, samplesText } from "../trace-text.ts";

type Pid = number | string;
type Event = ReturnType<typeof launch>;
const launched = (pid: Pid, id: number, at: number, name = `launch of ${pid}`): Event => ({ ...launch(id, [at, at + 1], name), pid });
const ran = (pid: Pid, device: number, id: number, at: number): Event => ({ ...kernel(id, [at, at + 1], `on ${pid}`), pid, args: { correlation: id, device } });
const ambiguous = "Kernels whose correlation id several processes use";

// "launch > kernel" and how often, and the kernels the report names as ambiguous.
async function linked(...events: Event[]): Promise<{ pairs: string[]; ambiguous: string[] }> {
  const execution = await importEvents(...events);
  const pairs = samplesText(execution).map((line) => line.replace(/call:(.*) > gpu:(.*) \| \d+ ns × (\d+).*/, "$1 > $2 × $3"));
  return { pairs, ambiguous: execution.notes.filter((note) => note.startsWith(ambiguous)).map((note) => note.split(": ").at(-1)!) };
}

// Two ranks in step: every id twice, the second rank 2 µs behind, and every kernel long after both launches.
const inStep = (hosts: [Pid, Pid], gpus: [Pid, Pid], devices: [number, number] = [0, 1]): Event[] =>
  [1, 2, 3].flatMap((id) => hosts.flatMap((host, rank) => [launched(host, id, 10 * id + 2 * rank), ran(gpus[rank]!, devices[rank]!, id, 100 + 10 * id + 2 * rank)]));

describe("what the pid of the kernels says", () => {
  test.each<[string, [Pid, Pid], [Pid, Pid]]>([
    ["the label that is put before the pids of a rank", ["[TP00] 5120", "[TP01] 5121"], ["[TP00] 0", "[TP01] 1"]],
    ["a label, where both ranks saw their GPU as device 0", ["[TP00] 251", "[TP01] 251"], ["[TP00] 0", "[TP01] 0"]],
    ["a number that is added to the pids of a rank", [5120, 100_005_120], [0, 100_000_000]],
    ["numbers that are given in blocks of a thousand", [500, 1_500], [0, 1_000]],
    ["the rank itself", [0, 1], [0, 1]],
  ])("%s", async (_, hosts, gpus) => {
    expect(await linked(...inStep(hosts, gpus))).toEqual({ pairs: hosts.map((host, rank) => `launch of ${host} > on ${gpus[rank]} × 3`), ambiguous: [] });
  });
  test("device numbers beside small pids of a container say nothing", async () => {
    expect((await linked(...inStep([7, 9], [0, 1]))).ambiguous).toEqual(["6"]);
  });
});

describe("what the ids a GPU ran say", () => {
  test("a GPU that ran ids only one process launched is its; the other GPU is left for the other process", async () => {
    const { pairs, ambiguous: none } = await linked(...inStep([500, 501], [0, 1]), launched(500, 4, 50), ran(0, 0, 4, 160));
    expect({ pairs, none }).toEqual({ pairs: ["launch of 500 > on 0 × 4", "launch of 501 > on 1 × 3"], none: [] });
  });
  test("a process that launched an id only after the kernel ran did not launch it", async () => {
    const early = [launched(500, 4, 50), ran(0, 0, 4, 52), launched(501, 4, 54), ran(1, 1, 4, 170)];
    expect(await linked(...inStep([500, 501], [0, 1]), ...early)).toEqual({ pairs: ["launch of 500 > on 0 × 4", "launch of 501 > on 1 × 4"], ambiguous: [] });
  });
  test("a process without kernels of its own that shares ids (it only asks for devices) takes none", async () => {
    const events = [1, 2, 3].flatMap((id) => [launched(500, id, 10 * id), ran(0, 0, id, 100 + 10 * id)]);
    expect(await linked(...events, launched(600, 1, 11, "cudaGetDeviceCount"), launched(600, 9, 40, "cudaGetDeviceCount"))).toEqual({ pairs: ["launch of 500 > on 0 × 3"], ambiguous: [] });
  });
  test("a launch of another process is none: the kernel's own was lost", async () => {
    const { gaps } = await importEvents(...inStep(["[TP00] 5", "[TP01] 6"], ["[TP00] 0", "[TP01] 1"]), launched("[TP01] 6", 8, 60), ran("[TP00] 0", 0, 8, 190));
    expect(gaps.map(({ reason, kernels }) => [reason, kernels])).toEqual([["launch not recorded", 1], ["outside any module", 6]]);
  });
  test("launched before the recording: lower than what its own process launched, though another launched lower ones", async () => {
    const ranks = [launched("[TP00] 5", 500, 10), ran("[TP00] 0", 0, 500, 90), launched("[TP01] 6", 100, 12), ran("[TP01] 1", 1, 100, 92)];
    const { gaps } = await importEvents(...ranks, ran("[TP00] 0", 0, 420, 1));
    expect(gaps.map(({ reason, kernels }) => [reason, kernels])).toEqual([["launched before capture", 1], ["outside any module", 2]]);
  });
});

describe("where nothing says it, the report names the kernels", () => {
  test("ranks in step on devices 0 and 1: the last launch before a kernel", async () => {
    expect(await linked(...inStep([500, 501], [0, 1]))).toEqual({ pairs: ["launch of 501 > on 0 × 3", "launch of 501 > on 1 × 3"], ambiguous: ["6"] });
  });
  test("two processes on one GPU: each kernel by itself", async () => {
    expect((await linked(...inStep([500, 501], [0, 0], [0, 0]))).ambiguous).toEqual(["6"]);
  });
  test("an id of one process alone is no doubt", async () => {
    const { pairs, ambiguous: named } = await linked(launched(500, 1, 0), launched(501, 2, 5), ran(0, 0, 1, 20), ran(0, 0, 2, 30));
    expect({ pairs, named }).toEqual({ pairs: ["launch of 500 > on 0 × 1", "launch of 501 > on 0 × 1"], named: [] });
  });
});
