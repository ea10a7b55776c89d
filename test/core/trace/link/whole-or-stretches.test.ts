// Whether a file is linked whole or in the smallest stretches it can be cut into, the execution is the same in every field: random traces, and the public ones as
// they are, in order of time (which lets more of them be cut) and merged from two ranks.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Execution } from "#core/trace/execution.ts";
import { importLargeTrace, importTrace } from "#core/trace/import-trace.ts";
import { bytesOf } from "../trace-text.ts";
import { randomTrace } from "./random-trace.ts";

type Event = { ts?: unknown; pid?: unknown; cat?: string; args?: { correlation?: number; device?: number } };
const frameName = ({ path, className, modelName }: { path: string; className: string; modelName: string }) => `${className} ${path || modelName}`;

async function expectSame(bytes: Uint8Array, step?: number): Promise<void> {
  const whole = await importTrace([bytes], { frameName, step });
  expect(await importLargeTrace(() => [bytes], { frameName, step }, 1)).toEqual(whole);
}

test("random traces, all steps or one", async () => {
  await fc.assert(fc.asyncProperty(randomTrace, fc.constantFrom(undefined, undefined, undefined, 1, 2), async (text, step) => await expectSame(bytesOf(text), step)), { numRuns: 1000 });
});

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public traces: skipped, LAMELLA_TEST_DATA is not set" : "public traces";

function fileOf(name: string): Uint8Array {
  const bytes = readFileSync(`${folder}/kineto/${name}`);
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

function eventsOf(name: string): Event[] {
  const document = JSON.parse(new TextDecoder().decode(fileOf(name))) as Event[] | { traceEvents?: Event[] };
  return Array.isArray(document) ? document : (document.traceEvents ?? []);
}

// Frames of each stack, root first → ns, over several executions.
function valueByStack(executions: readonly Execution[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { frames, stacks, samples } of executions) {
    for (const { stack, value } of samples) {
      const path = [...stacks[stack]!].map((frame) => frames[frame]!.name.replace(/\[\d+\]$/, "")).join(" > ");
      sums[path] = (sums[path] ?? 0) + value;
    }
  }
  return sums;
}

describe.skipIf(folder === undefined)(suite, () => {
  const names = folder === undefined ? [] : readdirSync(`${folder}/kineto`).filter((name) => statSync(`${folder}/kineto/${name}`).size < 200_000);
  test.each(names)("%s", async (name) => {
    await expectSame(fileOf(name));
    await expectSame(bytesOf({ traceEvents: eventsOf(name).sort((a, b) => Number(a?.ts ?? 0) - Number(b?.ts ?? 0)) }));
  });

  // As SGLang's merger does: a label before each pid, ids as they were. They are moved to be the same, which lets no id tell the ranks apart.
  test("two models in one file keep to their own launches", async () => {
    const ranks = ["tracelens__h100__gaunernst_bert-small-uncased__1016001.json.gz", "tracelens__h100__Falconsai_nsfw_image_detection__1016002.json.gz"].map((name, rank) => {
      const events = eventsOf(name);
      const ids = events.flatMap(({ args }) => args?.correlation ?? []);
      const lowest = ids.reduce((least, id) => Math.min(least, id), Number.POSITIVE_INFINITY);
      return events.map((event) => ({ ...event, pid: `[TP0${rank}] ${String(event.pid)}`, args: { ...event.args, ...(event.args?.correlation === undefined ? {} : { correlation: event.args.correlation - lowest + 1 }) } }));
    });
    const execution = async (events: unknown[]): Promise<Execution> => {
      const result = await importTrace([bytesOf({ traceEvents: events })], { frameName });
      if (!result.ok) throw new Error(result.error.reason);
      return result.value;
    };
    const merged = await execution(ranks.flat());
    expect(valueByStack([merged])).toEqual(valueByStack([await execution(ranks[0]!), await execution(ranks[1]!)]));
    expect(merged.notes.filter((note) => note.includes("several processes"))).toEqual([]);
    await expectSame(bytesOf({ traceEvents: ranks.flat() }));
  });
});
