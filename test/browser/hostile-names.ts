// Names come from profiled programs and files. Markup, templates, right-to-left and control characters and very long names are text, wherever they show.
import { beforeAll, expect, test } from "vitest";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { frame } from "#test/rig/stacks.ts";
import { until } from "#test/rig/until.ts";
import { executionUpload, randomId, samplesUpload, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";

const image = `<img src=x onerror="document.body.id='broken'">`;
const script = `"></canvas><script>document.body.id='broken'</script>`;
const template = "void flash::fwd_kernel<128, 4, true>(Params<float>, int)";
const bidi = "safe\u202Egnp.exe\u202C שלום";
const control = "bell\u0007 escape\u001B[31m line\nbreak";
const endless = `long_${"x".repeat(4_000)}_end`;
const names: readonly [string, FrameKindName, string][] = [
  [image, "python", image], [script, "layer", script], [template, "gpu_kernel", template], [bidi, "native", "safe\\u{202e}gnp.exe\\u{202c} שלום"],
  [control, "op", "bell\\u{7} escape\\u{1b}[31m line\\u{a}break"], [endless, "gpu_api", endless],
];

// One stack per name, all of one weight, so that each is a wide box of its own.
const profile: StackProfile = {
  profileType: "cuda",
  frames: names.map(([name, kind]) => ({ ...frame("x"), name, kind, ...(kind === "layer" ? { modulePath: image, moduleClass: image } : {}) })),
  stacks: names.map((_, i) => ({ frames: [i], value: 1_000n, count: 1n })),
};

export function hostileNames(rig: () => BrowserRig): void {
  beforeAll(async () => {
    const client = await rig().tenant("hostile");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    const [modelKey, executionId] = [randomId(32), randomId(64)];
    await client.upload("samples", samplesUpload(profile, { hostName: image, k8sNamespace: script }));
    await client.upload("samples", samplesUpload(profile, { executionId, part: 1, parts: 1 }));
    await client.upload("executions", executionUpload(executionId, 1, 6_000n, { name: image, device: script }));
    await client.upload("shapes", shapeUpload(drawShape("Net<img/src=x>\n  fc<b>bold</b> Linear<script> weight:float32[8,4]"), modelKey));
    await client.upload("sightings", sightingsUpload({ modelKey, nameOrPath: image, architecture: script, hostName: image }));
    await rig().stack.settled();
  });

  const expectIntact = async (view: FlamegraphPage) => {
    expect(await view.page.locator("#broken").count()).toBe(0);
    expect(await view.page.locator("main img, main b:text('bold'), main script").count()).toBe(0);
    expect(await view.page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight")).toBe(true);
  };

  test("as frames: in the drawing, under the pointer, selected and focused", async () => {
    const view = new FlamegraphPage(await rig().page("/t/hostile/flamegraph?execution=live"));
    for (const [name, kind, shown] of names) {
      const box = await view.box(name);
      expect(box.kind).toBe(kind);
      await view.hover(box);
      await until("the tooltip", () => view.tooltip.locator("p").first().textContent(), (text) => text === shown);
      const tip = (await view.tooltip.boundingBox())!;
      expect([tip.x >= 0, tip.y >= 0, tip.x + tip.width <= 1440, tip.y + tip.height <= 900], `tooltip of ${shown.slice(0, 40)} inside the window`).toEqual([true, true, true, true]);
      await view.click(box);
      await until("the selection", () => view.data(view.selected, "name"), (text) => text === shown);
      await view.focusIs(box.node);
      expect((await view.page.getByTestId("flamegraph-details").boundingBox())!.height, `details of ${shown.slice(0, 40)}`).toBeLessThan(60);
      await expectIntact(view);
      await view.tree.press("0");
      await view.focusIs(0);
    }
  });

  test("searching for such a name finds exactly it", async () => {
    const view = new FlamegraphPage(await rig().page("/t/hostile/flamegraph?execution=live"));
    await view.drawn();
    await view.page.getByTestId("flamegraph-search").fill("<128\\, 4");
    await until("one match", () => view.data(view.page.getByTestId("search-summary"), "frames").catch(() => null), (frames) => frames === "1");
    await expectIntact(view);
  });

  test("as execution, device, host and model", async () => {
    const page = await rig().page("/t/hostile/flamegraph?execution=latest");
    const view = new FlamegraphPage(page);
    await view.drawn();
    expect(await view.summary.textContent()).toContain(image);
    expect(await view.summary.textContent()).toContain(script);
    await expectIntact(view);
    await page.goto("/t/hostile/status");
    await until("the host", () => page.getByTestId("host-row").allTextContents(), (all) => all.some((text) => text.startsWith(image)));
    await expectIntact(view);
    await page.goto("/t/hostile/models");
    await page.getByRole("link", { name: image }).click();
    await page.getByTestId("module-graph").waitFor();
    expect(await page.getByTestId("module-graph").textContent()).toContain("Linear<script>");
    await expectIntact(view);
  });
}
