// Samples per second through the whole path (HTTP door → R2 → queue → consumer → ClickHouse with its roll-ups → ledger), against a bare insert of the same
// rows into the same table on one connection of the same engine. Simulated profiles: 1 k stacks of depth 40 an upload.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { openStore } from "#clickhouse/client.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { startStack, type Stack } from "#local/stack.ts";
import { SamplesUploadSchema } from "#schema/gen/lamella/v1/samples_pb.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";
import type { BenchReport, BenchRow } from "./run.ts";

type Case = { readonly samples: number; readonly uploads: number; readonly ratioBound: number | null };

// The 10 k case is the one with a bound; the small and the large one stand beside it.
const cases: readonly Case[] = [{ samples: 2_000, uploads: 60, ratioBound: null }, { samples: 10_000, uploads: 60, ratioBound: 0.5 }, { samples: 50_000, uploads: 16, ratioBound: null }];
const stacksPerUpload = 1_000;
const depth = 40;
const senders = 4;

export async function run(): Promise<BenchReport> {
  const dataDir = mkdtempSync(join(tmpdir(), "lamella-bench-"));
  const stack = await startStack({ dataDir, port: 0, progress: () => undefined, log: (line) => console.error(line), batchTimeoutS: 0 });
  const rows: BenchRow[] = [];
  try {
    await warmUp(stack);
    for (const one of cases) {
      const seed = one.samples * 31;
      const whole = await throughThePath(stack, one, seed);
      const bare = await bareInsert(stack, one, seed);
      const ratio = whole / bare;
      const label = `${one.samples / 1000} k samples an upload`;
      rows.push({ name: `whole path, samples/s, ${label}`, value: Math.round(whole), bound: null, ok: true });
      rows.push({ name: `bare insert, samples/s, ${label}`, value: Math.round(bare), bound: null, ok: true });
      rows.push({ name: `whole path / bare insert, ${label}`, value: Number(ratio.toFixed(3)), bound: one.ratioBound, ok: one.ratioBound === null || ratio >= one.ratioBound });
    }
  } finally {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return { rows, ok: rows.every((row) => row.ok) };
}

async function warmUp(stack: Stack): Promise<void> {
  await throughThePath(stack, { samples: 10_000, uploads: 6, ratioBound: null }, 7);
}

async function throughThePath(stack: Stack, { samples, uploads }: Case, seed: number): Promise<number> {
  const bodies = Array.from({ length: uploads }, (_, i) => gzipSync(simulatedUpload(samples, seed + i), { level: 1 }));
  const before = await storedUploads(stack);
  const startedAt = performance.now();
  let next = 0;
  const send = async () => {
    while (next < bodies.length) {
      const body = bodies[next++]!;
      const response = await fetch(`${stack.url}/t/${stack.tenant.slug}/ingest/samples`, {
        method: "POST", body, headers: { authorization: `Bearer ${stack.token}`, "content-type": "application/x-protobuf", "content-encoding": "gzip" },
      });
      if (response.status !== 202) throw new Error(`ingest answered ${response.status}: ${await response.text()}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  while ((await storedUploads(stack)) < before + uploads) await new Promise((done) => setTimeout(done, 20));
  return (samples * uploads * 1000) / (performance.now() - startedAt);
}

// The same rows, as the same Native blocks, into the same table with its views: only `samples`, no dictionaries, no ledger, no HTTP of ours.
async function bareInsert(stack: Stack, { samples, uploads }: Case, seed: number): Promise<number> {
  const { store } = stack;
  const client = openStore({ url: store.url, database: store.database, reader: store.reader, writer: store.writer, remote: false });
  const scope = tenantScope("barebarebarebare", 30);
  const blocks = Array.from({ length: uploads }, (_, i) => {
    const decoded = decodeSamples(simulatedUpload(samples, seed + i));
    if (!decoded.ok) throw new Error(decoded.error.detail);
    return sampleRows(scope, decoded.value, Math.floor(Date.now() / 1000)).samples();
  });
  const startedAt = performance.now();
  for (const [i, block] of blocks.entries()) await client.insert(scope, "samples", block, `${scope.tenantId}:bench-${seed}-${i}:samples`);
  return (samples * uploads * 1000) / (performance.now() - startedAt);
}

async function storedUploads(stack: Stack): Promise<number> {
  const url = new URL(stack.store.url);
  url.searchParams.set("database", stack.store.database);
  url.searchParams.set("query", "SELECT count() FROM uploads FORMAT TSV");
  const response = await fetch(url, { headers: { "x-clickhouse-user": stack.store.writer.user, "x-clickhouse-key": stack.store.writer.password } });
  return Number(await response.text());
}

// Deterministic: 1 k stacks of depth 40 over 5 k frames, values and times spread, 20 contexts.
export function simulatedUpload(samples: number, seed: number): Uint8Array {
  let state = seed >>> 0 || 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const frames = 5_000;
  const contexts = 20;
  const strings = ["", ...Array.from({ length: frames }, (_, i) => `simulated_function_${i}`), ...Array.from({ length: contexts }, (_, i) => `node-${i}`), "python3.11", "inference", "vllm"];
  const text = (word: string) => strings.indexOf(word);
  const [exe, namespace, deployment] = [text("python3.11"), text("inference"), text("vllm")];
  const fill = <T>(length: number, pick: (i: number) => T) => Array.from({ length }, (_, i) => pick(i));
  const upload = {
    agentVersion: "bench", source: 1, baseTimeS: BigInt(Math.floor(Date.now() / 1000) - 120), strings,
    frames: { kind: [0, ...fill(frames, (i) => (i % 10 === 0 ? 5 : 2))], name: [0, ...fill(frames, (i) => i + 1)], mapping: fill(frames + 1, () => 0) },
    stacks: { depth: [0, ...fill(stacksPerUpload, () => depth)], frame: fill(stacksPerUpload * depth, () => 1 + random(frames)) },
    contexts: {
      profileType: [0, ...fill(contexts, () => 1)], hostName: [0, ...fill(contexts, (i) => frames + 1 + i)], exeName: [0, ...fill(contexts, () => exe)],
      k8sNamespace: [0, ...fill(contexts, () => namespace)], k8sDeployment: [0, ...fill(contexts, () => deployment)],
    },
    samples: {
      stack: fill(samples, () => 1 + random(stacksPerUpload)), context: fill(samples, () => 1 + random(contexts)), timeS: fill(samples, (i) => BigInt(Math.floor((i * 60) / samples))),
      value: fill(samples, () => BigInt(1_000 + random(1_000_000))), count: fill(samples, () => 1 + random(4)),
    },
  } as MessageInitShape<typeof SamplesUploadSchema>;
  return toBinary(SamplesUploadSchema, create(SamplesUploadSchema, upload));
}
