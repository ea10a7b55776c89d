// Engine metrics: panels with the API's own values, gaps with their reason, filters and the moment in the URL, and the way to the profile of a moment.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { simulatedMetrics } from "#test/rig/simulated-metrics.ts";
import { until } from "#test/rig/until.ts";
import { nowS } from "#test/rig/uploads.ts";

export function metrics(rig: () => BrowserRig): void {
  const toS = Math.floor(nowS() / 60) * 60;
  const range = `from=${toS - 3_600}&to=${toS}`;
  beforeAll(async () => {
    await rig().tenant("empty");
    const client = await rig().tenant("engines");
    for (const body of simulatedMetrics(toS - 3_600, 240)) await client.upload("metrics", body);
    await rig().stack.settled();
  });
  const client = () => rig().tenant("engines");
  const open = async (search = "") => {
    const page = await rig().page(`/t/engines/metrics?${range}${search}`);
    await page.locator("[data-testid=chart-ttft][data-drawn]").waitFor();
    return page;
  };
  const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

  test("the legend has the values of the last step, estimates are marked, what nobody reports says who would", async () => {
    const page = await open();
    const series = async (metric: string) => (await (await client()).get("metricSeries", { query: { metric, from: String(toS - 3_600), to: String(toS) } })).engines[0]!;
    const { steps, estimate } = await series("ttft_seconds");
    expect(estimate).toBe("buckets");
    const ms = (seconds: number) => (seconds < 1 ? `≈ ${Number((seconds * 1_000).toPrecision(4))} ms` : `≈ ${Number(seconds.toPrecision(4))} s`);
    for (const [place, part] of (["p50", "p95", "p99"] as const).entries()) expect(await page.getByTestId(`value-ttft-${place}`).textContent()).toBe(ms(steps[part]!.at(-1)!));
    const running = (await series("requests_running")).steps.avg!.at(-1)!;
    expect(Number(await page.getByTestId("value-queue-0").textContent())).toBeCloseTo(running, 1);
    await until("why there is no TPOT", () => page.getByTestId("missing-tpot").textContent(), (why) => why!.includes("vllm calls it request_time_per_output_token_seconds"));
    expect(await page.getByTestId("panel-finished").textContent()).toMatch(/all \d.*stop \d.*length \d.*abort \d/);
  });

  test("a step is chosen by keyboard, is in the URL and in all panels, and Enter opens its profile", async () => {
    const page = await open();
    const chart = page.getByTestId("chart-queue");
    const { steps } = (await (await client()).get("metricSeries", { query: { metric: "requests_running", from: String(toS - 3_600), to: String(toS) } })).engines[0]!;
    const stepS = Number(await page.getByTestId("panels").getAttribute("data-step"));
    await chart.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const at = Math.floor((toS - 3_600) / stepS) * stepS + 2 * stepS;
    await until("the third step", () => param(page, "at"), (found) => found === String(at));
    const value = steps.avg![steps.t.indexOf(at)]!;
    expect(await chart.getAttribute("aria-valuetext")).toContain(`running ${value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : 1 })}`);
    expect(await page.getByTestId("chart-kv").getAttribute("aria-valuenow")).toBe(String(at));
    await page.reload();
    await page.getByTestId("selected-moment").waitFor();
    expect(await page.getByTestId("open-profile").getAttribute("href")).toBe(`/t/engines/flamegraph?from=${at}&to=${at + stepS}`);
    await page.getByTestId("chart-e2e").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/t/engines/flamegraph");
    expect([param(page, "from"), param(page, "to")]).toEqual([String(at), String(at + stepS)]);
  });

  test("a click opens the profile of the step under the crosshair; dragging chooses a range", async () => {
    const page = await open();
    const over = page.getByTestId("chart-tokens").locator(".u-over");
    const box = (await over.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.mouse.click(box.x + box.width / 2, box.y + 40);
    await page.waitForURL((url) => url.pathname === "/t/engines/flamegraph");
    const stepS = Number(param(page, "to")) - Number(param(page, "from"));
    expect(Math.abs(Number(param(page, "from")) - (toS - 1_800))).toBeLessThanOrEqual(2 * stepS);
    await page.goBack();
    await page.locator("[data-testid=chart-tokens][data-drawn]").waitFor();
    await page.mouse.move(box.x + box.width / 4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 3, box.y + 50);
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.mouse.up();
    await until("a shorter range", () => param(page, "from"), (from) => from !== String(toS - 3_600));
    const [from, to] = [Date.parse(param(page, "from")!) / 1_000, Date.parse(param(page, "to")!) / 1_000];
    expect([Math.abs(from - (toS - 2_700)) < 60, Math.abs(to - (toS - 1_800)) < 60]).toEqual([true, true]);
  });

  test("filters are in the URL; lines take the colours of the theme; a tenant without metrics is told how to send some", async () => {
    const page = await open();
    await page.getByTestId("metrics-engine").selectOption("vllm");
    await until("the engine in the URL", () => param(page, "engine"), (engine) => engine === "vllm");
    const ink = () => page.evaluate<string>("getComputedStyle(document.querySelector('[data-testid=chart-ttft]')).getPropertyValue('--canvas-prefill')");
    const light = await ink();
    const pixels = () => page.evaluate<boolean>(`(() => {
      const colour = getComputedStyle(document.querySelector('[data-testid=chart-ttft]')).getPropertyValue('--canvas-prefill').match(/\\d+/g).map(Number);
      const canvas = document.querySelector('[data-testid=chart-ttft] canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (data[at] === colour[0] && data[at + 1] === colour[1] && data[at + 2] === colour[2] && data[at + 3] === 255) return true;
      return false;
    })()`);
    await until("lines in the light theme", pixels, (found) => found);
    await page.emulateMedia({ colorScheme: "dark" });
    await until("another colour", ink, (colour) => colour !== light);
    await until("lines in the dark theme", pixels, (found) => found);
    await page.goto("/t/empty/metrics");
    await page.getByTestId("no-metrics").waitFor();
    expect(await page.getByTestId("no-metrics").textContent()).toContain("npx lamella metrics import before.txt after.txt --host node-7");
  });
}
