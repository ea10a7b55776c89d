// `npm run screenshots`: every page in both themes, from the real stack, to docs/images. `npm run screenshots -- models palette` takes only those whose name says so;
// `--to FOLDER` and `--width 900` are for looking at one's work.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "#local/worker.ts";
import { BrowserRig } from "#test/rig/browser.ts";
import { smallPng } from "#test/rig/small-png.ts";

type Shot = { readonly path: string; readonly ready: string; readonly act?: (page: Page) => Promise<void> };

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const [folder, width] = [option("to") ?? join(root, "docs/images"), Number(option("width") ?? 1280)];
const wanted = process.argv.slice(2).filter((word, at, all) => !word.startsWith("--") && !all[at - 1]?.startsWith("--"));

const rig = await BrowserRig.open();
try {
  await rig.import(rig.stack.demo, join(root, "local/demo/qwen3-demo.trace.json.gz"), "demo: a small Qwen3, recorded on a CPU");
  const { models } = await rig.stack.demo.get("models");
  const shots = shotsOf(models[0]!.id);
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [name, { path, ready, act }] of Object.entries(shots)) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
    const page = await rig.page(path);
    await page.setViewportSize({ width, height: 800 });
    await page.getByTestId(ready).first().waitFor();
    await act?.(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))");
      const picture = smallPng(await page.screenshot({ animations: "disabled", caret: "hide" }));
      writeFileSync(join(folder, `${name}-${colorScheme}.png`), picture);
      bytes += picture.length;
    }
    console.log(name);
  }
  const complaints = rig.takeComplaints();
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  console.log(`${(bytes / 1e6).toFixed(2)} MB in ${folder}`);
} finally {
  await rig.close();
}

function shotsOf(model: string): Record<string, Shot> {
  const drawn = (page: Page) => page.locator("[data-testid=flamegraph-canvas][data-boxes]").waitFor();
  return {
    flamegraph: { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: drawn },
    models: { path: "/t/demo/models", ready: "models-row" },
    model: { path: `/t/demo/models/${model}?path=model.layers.0.self_attn`, ready: "module-details" },
    palette: {
      path: "/t/demo/flamegraph", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.keyboard.press("Control+k");
        await page.locator('[data-choice^="execution "]').waitFor();
      },
    },
    keys: { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: async (page) => void (await drawn(page), await page.keyboard.press("?"), await page.getByTestId("keyboard-sheet").waitFor()) },
    setup: { path: "/t/demo/setup", ready: "setup-form" },
    status: { path: "/t/demo/status", ready: "status-figures" },
    flags: { path: "/t/demo/settings/flags", ready: "flag-row" },
    tokens: { path: "/t/demo/settings/tokens", ready: "tokens-table" },
  };
}
