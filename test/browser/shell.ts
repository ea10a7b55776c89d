// What is around every page: the command palette, the link to a view, the way to another tenant.
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { BrowserRig } from "#test/rig/browser.ts";
import { until } from "#test/rig/until.ts";

export function shell(rig: () => BrowserRig): void {
  const choices = (page: Page) => page.evaluate<string[]>("[...document.querySelectorAll('[data-testid=palette-option]')].map((one) => one.dataset.choice)");
  const chosen = (page: Page) => page.locator("[data-testid=palette-option][aria-selected=true]").getAttribute("data-choice");
  const type = async (page: Page, text: string, first: string) => {
    await page.getByTestId("palette-input").fill(text);
    await until(`${first} chosen`, () => chosen(page).catch(() => null), (id) => id === first);
  };

  test("Ctrl+K finds pages, models, executions and actions; Enter goes there; what was used comes first", async () => {
    const page = await rig().page("/t/demo/status");
    await page.getByTestId("status-figures").waitFor();
    await page.evaluate("localStorage.clear()");
    await page.keyboard.press("Control+k");
    const [model] = (await rig().stack.demo.get("models")).models;
    const [execution] = (await rig().stack.demo.get("executions")).executions;
    const all = await until("all things", () => choices(page), (ids) => ids.includes(`model ${model!.id}`) && ids.includes(`execution ${execution!.id}`));
    expect(all[0]).toBe("page /t/$tenant/flamegraph");
    expect(all.some((id) => id.startsWith("range "))).toBe(false); // the status is about no range
    await type(page, "qwen", `model ${model!.id}`);
    await page.keyboard.press("Enter");
    await page.getByTestId("module-graph").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/t/demo/models/${model!.id}`);

    await page.keyboard.press("Control+k");
    await until("the model first", () => chosen(page).catch(() => null), (id) => id === `model ${model!.id}`);
    await type(page, "3h", "range -3h");
    await page.keyboard.press("Enter");
    await page.waitForURL(/from=-3h/);

    await page.keyboard.press("Control+k");
    await type(page, "small qwen3 cpu", `execution ${execution!.id}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/t/demo/executions/${execution!.id}?from=-3h`);

    await page.keyboard.press("Control+k");
    await type(page, "keyboard", "keyboard");
    await page.keyboard.press("Enter");
    await page.getByTestId("keyboard-sheet").waitFor();
    expect(await page.getByTestId("palette").count()).toBe(0);
    await page.keyboard.press("Control+k"); // over a dialog it stays away
    expect(await page.getByTestId("palette").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByTestId("keyboard-sheet").waitFor({ state: "detached" });
    await page.locator("button[aria-label=Keyboard]").click();
    await page.keyboard.press("Escape");
    await until("focus back on the button", () => page.evaluate<string>("document.activeElement.ariaLabel"), (label) => label === "Keyboard");

    await page.getByTestId("find").click();
    await page.getByTestId("palette-input").fill("zzzz");
    await until("nothing", () => page.getByTestId("palette-status").textContent(), (text) => text!.includes("Nothing here fits “zzzz”."));
    await page.keyboard.press("Escape");
    await page.getByTestId("palette").waitFor({ state: "detached" });
    await until("focus back", () => page.evaluate<boolean>("document.activeElement.dataset.testid === 'find'"), Boolean);
    await page.keyboard.press("Control+k");
    await type(page, "dark", "theme dark");
    await page.keyboard.press("Enter");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.getByTestId("theme-system").click();
  });

  test("the link to a view opens the same view, with its range fixed", async () => {
    const page = await rig().page("/t/demo/flamegraph?from=-6h&search=mlp&layers=fold");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByTestId("flamegraph-summary").waitFor();
    const before = Date.now();
    await page.getByTestId("copy-link").click();
    await until("the toast", () => page.getByTestId("toasts").textContent(), (text) => text!.includes("Its time range is fixed to what it is now."));
    const link = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
    expect(link.pathname + link.hash).toBe("/t/demo/flamegraph");
    const { from, to, ...rest } = Object.fromEntries(link.searchParams);
    expect(rest).toEqual({ search: "mlp", layers: "fold" });
    expect(Date.parse(to!) - Date.parse(from!)).toBe(6 * 3_600_000);
    expect(Math.abs(Date.parse(to!) - before)).toBeLessThan(120_000);
    await page.goto(link.href);
    await page.getByTestId("flamegraph-summary").waitFor();
    expect(await page.getByTestId("flamegraph-search").inputValue()).toBe("mlp");
  });

  test("who is a member of several tenants goes to the same page of another", async () => {
    await rig().tenant("another");
    const page = await rig().page("/t/demo/status?from=-1h");
    await page.getByTestId("tenant-switch").click();
    await page.getByTestId("tenant-another").click();
    await page.waitForURL("**/t/another/status?from=-1h");
    await until("the name", () => page.getByTestId("tenant-name").textContent(), (name) => name === "another");
    expect(await page.getByTestId("status-figures").locator("> div").first().textContent()).toMatch(/^Samples0/);
    await page.keyboard.press("Control+k");
    await type(page, "switch demo", "tenant demo");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/t/demo/status*");
  });
}
