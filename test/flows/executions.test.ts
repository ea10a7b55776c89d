// Imported traces: in parts, visible only when whole, and once; the demo recording through the command line's own import.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openApi } from "#cli/api.ts";
import { importFile } from "#cli/import.ts";
import { traceChunks } from "#cli/trace-file.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { importTrace } from "#core/trace/import-trace.ts";
import { root } from "#local/worker.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { columnsText, drawProfile, treeText } from "#test/rig/stacks.ts";
import { executionUpload, randomId, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const one = drawProfile("main             main\ngemm:gpu_kernel  add:gpu_kernel\n30/3             20/2");
const two = drawProfile("main\ngemm:gpu_kernel\n50/5");

describe("an execution of two parts", () => {
  test.each([["summary", "part 1", "part 2"], ["part 2", "summary", "part 1"], ["part 1", "part 2", "summary"]])("sent as %s, %s, %s: shown only when whole", async (...order) => {
    const tenant = await rig.tenant(order.join("-").replaceAll(" ", ""));
    const id = randomId(64);
    const bodies: Record<string, ["samples" | "executions", Uint8Array]> = {
      "part 1": ["samples", samplesUpload(one, { executionId: id, part: 1, parts: 2 })], "part 2": ["samples", samplesUpload(two, { executionId: id, part: 2, parts: 2 })],
      summary: ["executions", executionUpload(id, 2, 100n, { moduleValue: 0n, kernels: 10n, gaps: [{ reason: "launched before capture", kernels: 2n, value: 5n }], notes: ["one repair"] })],
    };
    for (const [i, name] of order.entries()) {
      await tenant.upload(...bodies[name]!);
      await rig.settled();
      if (i < 2) {
        expect((await tenant.send("flamegraph", { query: { execution: id } })).status).toBe(404);
        expect((await tenant.send("flamegraph", { query: { execution: "latest" } })).status).toBe(404);
        expect(await tenant.get("flamegraph"), "live, and no execution in its place").toMatchObject({ total: 0, execution: null });
        if (order.indexOf("summary") <= i) expect(await tenant.get("execution", { params: { id } })).toMatchObject({ complete: false, parts: { of: 2 } });
      }
    }
    const whole = drawProfile("main             main\ngemm:gpu_kernel  add:gpu_kernel\n80/8             20/2");
    for (const [execution, reason] of [[id, "selected"], ["latest", "latest"], [undefined, "no_live_samples"]] as const) {
      const shown = await tenant.get("flamegraph", { query: execution === undefined ? {} : { execution } });
      expect(columnsText(shown)).toBe(treeText(foldStacks(whole), whole.frames));
      expect(shown).toMatchObject({ total: 100, samples: 3, executionReason: reason, execution: { id, complete: true, parts: { stored: 2, of: 2 }, totalValue: 100, gaps: [{ reason: "launched before capture", kernels: 2, value: 5 }], notes: ["one repair"] } });
    }
    expect((await tenant.get("executions")).executions).toMatchObject([{ id, complete: true }]);
    expect((await tenant.get("flamegraph", { query: { execution: "live" } })).total).toBe(0);
  });
});

test("live samples win over an execution that nobody asked for", async () => {
  const tenant = await rig.tenant("live-wins");
  const id = randomId(64);
  await tenant.upload("samples", samplesUpload(two, { executionId: id, part: 1, parts: 1 }));
  await tenant.upload("executions", executionUpload(id, 1, 50n));
  await tenant.upload("samples", samplesUpload(one));
  await rig.settled();
  expect(await tenant.get("flamegraph")).toMatchObject({ total: 50, samples: 2, execution: null });
  expect(await tenant.get("flamegraph", { query: { execution: "latest" } })).toMatchObject({ total: 50, samples: 1, execution: { id } });
});

const recording = join(root, "local/demo/qwen3-demo.trace.json.gz");

describe.skipIf(!existsSync(recording))("the demo recording", () => {
  test("imported through the public ingest URL is the fold of the file; a second import finds it", async () => {
    const tenant = await rig.tenant("recording");
    const api = openApi({ url: rig.stack.url, tenant: tenant.slug, token: tenant.token });
    const options = { agentVersion: "flow test 1", progress: () => undefined, context: { hostName: "demo" } };
    const imported = await importFile(api, recording, options);
    const read = await importTrace(traceChunks(recording), { frameName: layerFrameName });
    if (!read.ok || imported.known !== null) throw new Error("the recording could not be read, or was known");
    const { frames, stacks, samples, totals, profileType, modelKey } = read.value;
    const named = frames.map(({ kind, name, file, line, modulePath, moduleClass }) => ({ kind, name, file, line, modulePath, moduleClass, mapping: "", modelKey: kind === "layer" ? modelKey : "" }));
    const profile = { profileType, frames: named, stacks: samples.map(({ stack, value, count }) => ({ frames: [...stacks[stack]!], value: BigInt(value), count: BigInt(count) })) };
    for (const layers of ["show", "hide"] as const) {
      const shown = await tenant.get("flamegraph", { query: { execution: imported.executionId, layers, max_nodes: "65536" } });
      expect(columnsText(shown)).toBe(treeText(foldStacks(profile, new Set(layers === "hide" ? ["layer"] : [])), named));
      expect(shown).toMatchObject({ profileType: "cpu_op", total: totals.value, truncated: { nodes: 0 } });
    }
    const summary = await tenant.get("execution", { params: { id: imported.executionId } });
    expect(summary).toMatchObject({ complete: true, totalValue: totals.value, moduleValue: totals.moduleValue, kernels: totals.kernels, profileType: "cpu_op" });
    expect(totals.moduleValue).toBeGreaterThan(0);

    const again = await importFile(api, recording, options);
    expect(again).toEqual({ executionId: imported.executionId, known: summary });
    await rig.settled();
    expect((await tenant.get("status")).samples).toBe(samples.length);
  });

  test("the command finds the running stack by its folder, imports, and says so the second time", async () => {
    const lamella = async (...args: string[]) => (await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), "--data-dir", rig.dataDir, ...args])).stdout;
    expect(await lamella("import", recording)).not.toMatch(/already imported/i);
    expect(await lamella("import", recording)).toMatch(/already imported/i);
    expect(JSON.parse(await lamella("status", "--json"))).toMatchObject({ executions: 1 });
  });
});
