// What the module graph costs a person: an MoE of 61,388 modules (94 layers of 128 experts) from the answer to the first picture, and opening a section, in real
// Chromium in front of the real stack. Twice: as it is, where 94 layers are one box, and with layers that all differ, where every one is boxes of its own.
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { BrowserRig } from "#test/rig/browser.ts";
import type { Client } from "#test/rig/client.ts";
import { storeSimulatedModel } from "#test/rig/simulated-model.ts";
import { until } from "#test/rig/until.ts";
import type { BenchReport, BenchRow } from "./run.ts";

type Page = Awaited<ReturnType<BrowserRig["page"]>>;

const firstPaintMs = 400;
const openMs = 50;
const runs = 7;

export async function run(): Promise<BenchReport> {
  const rig = await BrowserRig.open();
  try {
    const client = await rig.tenant("graph-bench");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    const rows = [
      ...(await measure(rig, client, "MoE of 61,388 modules", moe(() => 1536))),
      // Harder than any model: only its first picture is held to a bound.
      ...(await measure(rig, client, "the same, no two layers alike, all sections open", moe((layer) => 1536 + layer), "?expand=all")).map((one, at) => (at === 0 ? one : { ...one, bound: null, ok: true })),
    ];
    return { rows, ok: rows.every((row) => row.ok) };
  } finally {
    await rig.close();
  }
}

async function measure(rig: BrowserRig, client: Client, what: string, body: ShapeBody, search = ""): Promise<BenchRow[]> {
  const name = `simulated/${what.replaceAll(/\W+/g, "-")}`;
  await storeSimulatedModel(client, body, { name, samples: false });
  await rig.stack.settled();
  const { id } = (await client.get("models")).models.find((model) => model.name === name)!;
  const paints: number[] = [];
  const opens: number[] = [];
  let boxes = 0;
  for (let i = 0; i < runs; i++) {
    const page = await rig.page("/t/graph-bench/status");
    await page.addInitScript(watchFirstBox);
    await page.goto(`/t/graph-bench/models/${id}${search}`);
    await page.getByTestId("module-graph").waitFor();
    paints.push(await until("the first picture", () => page.evaluate<number | null>(sinceAnswer), (ms) => ms !== null) as number);
    boxes = Number(await page.getByTestId("module-graph").getAttribute("data-rows"));
    opens.push(await openingMs(page, '[data-path="model.layers.0"] [data-action=toggle]'));
  }
  return [
    row(`${what} (${boxes} rows): answer read, parsed, folded, laid out and painted, ms, median of ${runs}`, median(paints), firstPaintMs),
    row(`${what}: opening or closing a layer to its next picture, ms, median of ${runs}`, median(opens), openMs),
  ];
}

// After the frame in which something is there to see: what is posted in a frame runs once it is painted.
const afterPaint = "const afterPaint = (then) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = then; port2.postMessage(0); });";

const watchFirstBox = `${afterPaint}
new MutationObserver((_, observer) => {
  if (document.querySelector("[data-testid=module-box]") === null) return;
  observer.disconnect();
  afterPaint(() => { globalThis.drawnAt = performance.now(); });
}).observe(document, { subtree: true, childList: true });`;

const sinceAnswer = `(() => {
  const answer = performance.getEntriesByType("resource").find((entry) => /\\/api\\/shapes\\/[0-9a-f]{64}$/.test(entry.name));
  return answer === undefined || globalThis.drawnAt === undefined ? null : globalThis.drawnAt - answer.responseEnd;
})()`;

// From the press to the picture with other rows.
async function openingMs(page: Page, toggle: string): Promise<number> {
  return await page.evaluate<number>(`new Promise((done) => {
    ${afterPaint}
    const button = document.querySelector(${JSON.stringify(toggle)});
    const { x, y } = button.getBoundingClientRect();
    const at = { bubbles: true, clientX: x + 3, clientY: y + 3, button: 0, pointerId: 1 };
    const start = performance.now();
    new MutationObserver((_, observer) => {
      observer.disconnect();
      afterPaint(() => done(performance.now() - start));
    }).observe(document.querySelector("[data-testid=module-graph]"), { attributeFilter: ["data-rows"] });
    button.dispatchEvent(new PointerEvent("pointerdown", at));
    button.dispatchEvent(new PointerEvent("pointerup", at));
  })`);
}

function moe(width: (layer: number) => number): ShapeBody {
  const layer = (at: string, size: number) => `
        ${at} MoeDecoderLayer
          self_attn Attention
            q_proj Linear weight:bfloat16[8192,4096]
            k_proj Linear weight:bfloat16[512,4096]
            v_proj Linear weight:bfloat16[512,4096]
            o_proj Linear weight:bfloat16[4096,8192]
            q_norm RMSNorm weight:bfloat16[128]
            k_norm RMSNorm weight:bfloat16[128]
          mlp SparseMoeBlock
            gate Linear weight:bfloat16[128,4096]
            experts ModuleList
              0..127 Expert
                gate_proj Linear weight:bfloat16[${size},4096]
                up_proj Linear weight:bfloat16[${size},4096]
                down_proj Linear weight:bfloat16[4096,${size}]
                act_fn SiLU
          input_layernorm RMSNorm weight:bfloat16[4096]
          post_attention_layernorm RMSNorm weight:bfloat16[4096]`;
  const alike = width(0) === width(1);
  return drawShape(`
  MoeForCausalLM
    model MoeModel
      embed_tokens Embedding weight:bfloat16[151936,4096]
      layers ModuleList${(alike ? [layer("0..93", width(0))] : Array.from({ length: 94 }, (_, i) => layer(`${i}`, width(i)))).join("")}
      norm RMSNorm weight:bfloat16[4096]
    lm_head Linear weight:bfloat16[151936,4096]`);
}

function row(name: string, value: number, bound: number): BenchRow {
  return { name, value: Number(value.toFixed(1)), bound, ok: value <= bound };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
