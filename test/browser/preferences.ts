// What a person has set for all programs holds here, too: forced colours, and less motion.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";

// Elements that are chosen, pressed or where one is, and look like their neighbours that are not: without a mark that forced colours keep.
const unmarked = `(() => {
  const chosen = '[aria-pressed="true"], [aria-selected="true"], [aria-checked="true"], [aria-current="page"], input:checked + span';
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getBoundingClientRect().width > 4;
  return [...document.querySelectorAll(chosen)].filter(seen).filter((element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle === "none" || parseFloat(outlineWidth) < 1;
  }).map((element) => element.outerHTML.slice(0, 120));
})()`;
const chosenCount = `document.querySelectorAll('[aria-pressed="true"], [aria-selected="true"], [aria-checked="true"], [aria-current="page"]').length`;
const moving = "document.getAnimations().map((one) => one.effect?.target?.className ?? '?')";

const pages: Record<string, { path: string; ready: string; act?: (page: Page) => Promise<void> }> = {
  flamegraph: { path: "/t/demo/flamegraph?layers=fold", ready: "flamegraph-summary" },
  models: { path: "/t/demo/models", ready: "models-table" },
  flags: { path: "/t/demo/settings/flags", ready: "flag-row" },
  "setting up": { path: "/t/demo/setup", ready: "setup-form" },
  executions: { path: "/t/demo/executions", ready: "executions-table" },
  "the command palette": { path: "/t/demo/status", ready: "status-figures", act: async (page) => void (await page.keyboard.press("Control+k"), await page.getByTestId("palette-option").first().waitFor()) },
};

export function preferences(rig: () => BrowserRig): void {
  test.each(Object.entries(pages))("forced colours: what is chosen is marked by more than a tint (%s)", async (_, { path, ready, act }) => {
    const page = await rig().page(path);
    await page.emulateMedia({ forcedColors: "active" });
    await page.getByTestId(ready).first().waitFor();
    await act?.(page);
    expect(await page.evaluate<number>(chosenCount)).toBeGreaterThan(1); // the page in the sidebar, the theme
    expect(await page.evaluate<string[]>(unmarked)).toEqual([]);
    await page.emulateMedia({ forcedColors: "none" });
  });

  test("less motion: nothing moves, where else the loading bars and the view do", async () => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      const page = await rig().page("/t/demo/status");
      await page.emulateMedia({ reducedMotion });
      let release = () => undefined as void;
      const held = new Promise<void>((done) => (release = done));
      await page.route("**/api/flamegraph?*", async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole("link", { name: "Flamegraph" }).click();
      await page.getByTestId("loading").waitFor();
      const animated = await page.evaluate<string[]>(moving);
      if (reducedMotion === "reduce") expect(animated).toEqual([]);
      else expect(animated.length).toBeGreaterThan(0);
      release();
      await page.getByTestId("flamegraph-summary").waitFor();
      await page.emulateMedia({ reducedMotion: "reduce" });
    }
  });
}
