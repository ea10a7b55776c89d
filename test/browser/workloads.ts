// Benchmark runs: the list, one run, and everything on its page that a filter, a limit or a selection changes. Expected values are computed here from the API's own requests.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { limits } from "#schema/limits.ts";
import type { Answer } from "#test/rig/client.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { simulatedUploads, simulatedWorkload } from "#test/rig/simulated-workload.ts";
import { workloadUpload } from "#test/rig/uploads.ts";
import { until } from "#test/rig/until.ts";

const run = "a1".repeat(32);
const requests = 400;

export function workloads(rig: () => BrowserRig): void {
  const path = `/t/bench/workloads/${run}`;
  let columns: Answer<"workloadRequests">["columns"];
  let detail: Answer<"workload">;
  beforeAll(async () => {
    await rig().tenant("empty");
    const client = await rig().tenant("bench");
    for (const body of simulatedUploads(requests, run)) await client.upload("workloads", body);
    await rig().stack.settled();
    ({ columns } = await client.get("workloadRequests", { params: { id: run }, query: { limit: "1000" } }));
    detail = await client.get("workload", { params: { id: run } });
  });
  const open = async (search = "") => {
    const page = await rig().page(path + search);
    await page.locator('[data-testid=gantt-canvas][data-drawn]').waitFor();
    return page;
  };
  const filtered = (page: Page) => page.getByTestId("filtered").textContent();
  const tableRows = async (page: Page) => Number(await page.getByTestId("requests-table").getAttribute("data-rows"));
  const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
  const ms = (us: number) => (us / 1_000).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

  test("the list has a run's figures, sorts by any column, and opens the run by keyboard", async () => {
    const page = await rig().page("/t/bench/workloads");
    const row = page.getByTestId("workloads-table-row");
    await row.waitFor();
    expect(await page.locator("thead th").allTextContents()).toEqual(["Run", "Tool", "Model", "Engine", "Load", "Requests", "Failed", "Output tok/s", "TTFT p50 ms", "TTFT p99 ms", "TPOT p50 ms", "TPOT p99 ms", "Imported"]);
    const cells = await row.locator("th, td").allTextContents();
    expect(cells.slice(0, 7)).toEqual(["simulated: 400 requests", "simulated", "org/simulated", "vllm", "poisson · 16.129 req/s", "400", String(columns.failed.filter(Boolean).length)]);
    expect(cells[8]).toBe(ms(detail.computed!.ttftUs!.percentiles["p50"]!));
    await page.getByTestId("workloads-table-sort-ttft99").click();
    expect(await page.locator("th[aria-sort=descending]").textContent()).toBe("TTFT p99 ms");
    expect(param(page, "sort")).toBe("-ttft99");
    await page.getByTestId("workloads-table").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByTestId("headline").waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  });

  test("figures of the run and their n; limits of goodput count at once and stay in the URL", async () => {
    const page = await open();
    const ttft = await page.getByTestId("percentiles").locator("tbody tr").first().locator("th, td").allTextContents();
    const { mean, std, min, max, percentiles, n } = detail.computed!.ttftUs!;
    expect(ttft).toEqual(["TTFT", ...[mean, std, min, percentiles["p50"], percentiles["p90"], percentiles["p95"], percentiles["p99"], max].map((us) => ms(us!)), String(n)]);
    expect(await page.getByTestId("missed-ttft").count()).toBe(0);
    await page.getByTestId("goodput-ttft").fill("60");
    await page.getByTestId("goodput-tpot").fill("20");
    const good = columns.request.filter((_, row) => !columns.failed[row] && columns.ttftUs[row]! <= 60_000 && (columns.outputTokens[row]! <= 1 || columns.tpotUs[row]! <= 20_000)).length;
    const over = columns.request.filter((_, row) => !columns.failed[row] && columns.ttftUs[row]! > 60_000).length;
    await until("the goodput", () => page.getByTestId("goodput").getAttribute("data-good"), (found) => found === String(good));
    expect(await page.getByTestId("missed-ttft").textContent()).toBe(`${over} over the TTFT`);
    expect([param(page, "ttft"), param(page, "tpot")]).toEqual(["60", "20"]);
    await page.reload();
    await until("the goodput after a reload", () => page.getByTestId("goodput").getAttribute("data-good"), (found) => found === String(good));
  });

  test("a rectangle drawn on a scatter filters figures, Gantt and table; so does the range of input tokens; Clear brings all back", async () => {
    const page = await open();
    const box = (await page.getByTestId("scatter-ttft").boundingBox())!;
    await page.mouse.move(box.x + 120, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 100);
    await page.mouse.move(box.x + 320, box.y + 225);
    await page.mouse.up();
    await until("the brush in the URL", () => param(page, "brush"), (brush) => brush !== null);
    const [left, right, low, high] = param(page, "brush")!.replace("ttft:", "").split(",").map(Number) as [number, number, number, number];
    const inside = columns.request.filter((_, row) => columns.inputTokens[row]! >= left && columns.inputTokens[row]! <= right && columns.ttftUs[row] !== null && columns.ttftUs[row]! / 1_000 >= low && columns.ttftUs[row]! / 1_000 <= high);
    expect(inside.length).toBeGreaterThan(3);
    await until("the filter", () => filtered(page), (text) => text === `filtered: ${inside.length} of 400 requests`);
    expect(await tableRows(page)).toBe(inside.length);
    expect(await page.getByTestId("headline").getAttribute("data-completed")).toBe(String(inside.length));
    const tokens = inside.reduce((sum, row) => sum + columns.outputTokens[row]!, 0);
    expect(await page.getByTestId("headline").textContent()).toContain(`Output tok/s${(tokens / detail.computed!.durationS!).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })}`);
    expect(await page.getByTestId("gantt").getAttribute("aria-label")).toBe(`Requests in time, ${inside.length}`);

    await page.getByTestId("input-to").fill("1000");
    await page.getByTestId("input-to").press("Enter");
    const both = inside.filter((row) => columns.inputTokens[row]! <= 1_000).length;
    await until("both filters", () => filtered(page), (text) => text === `filtered: ${both} of 400 requests`);
    await page.reload();
    await until("both filters after a reload", () => filtered(page), (text) => text === `filtered: ${both} of 400 requests`);
    await page.getByTestId("clear-filter").click();
    await until("all of them", () => filtered(page), (text) => text === "400 requests");
    expect([param(page, "brush"), param(page, "input"), await tableRows(page)]).toEqual([null, null, 400]);
  });

  test("a scatter by keyboard: from point to point, and a rectangle between two of them", async () => {
    const page = await open();
    const scatter = page.getByTestId("scatter-decode");
    await scatter.focus();
    await page.keyboard.press("ArrowRight");
    const byOutput = columns.request.filter((row) => columns.decodeUs[row] !== null).sort((a, b) => columns.outputTokens[a]! - columns.outputTokens[b]! || a - b);
    await until("the point with the fewest output tokens", () => param(page, "request"), (request) => request === String(byOutput[0]));
    expect(await scatter.getByRole("option").textContent()).toContain(`Request ${byOutput[0]}.`);
    await page.keyboard.press("b");
    for (let step = 1; step <= 6; step++) {
      await page.keyboard.press("ArrowRight");
      await until(`point ${step}`, () => param(page, "request"), (request) => request === String(byOutput[step]));
    }
    await page.keyboard.press("b");
    await until("a rectangle", () => filtered(page), (text) => text?.startsWith("filtered: ") === true);
    expect(param(page, "brush")).toMatch(/^decode:/);
    await page.keyboard.press("Escape");
    await until("no rectangle", () => param(page, "brush"), (brush) => brush === null);
  });

  test("Gantt and table select the same request; the table sorts by a click and saves itself", async () => {
    const page = await open();
    await page.getByTestId("requests-table-sort-ttft").click();
    const slowest = columns.request.filter((row) => columns.ttftUs[row] !== null).sort((a, b) => columns.ttftUs[b]! - columns.ttftUs[a]! || a - b);
    const first = page.getByTestId("requests-table-row").first();
    await until("the slowest first", () => first.getAttribute("data-row"), (row) => row === String(slowest[0]));
    expect(await first.locator("th, td").nth(4).textContent()).toBe(ms(columns.ttftUs[slowest[0]!]!));
    await first.click();
    await until("the selected one", () => param(page, "request"), (request) => request === String(slowest[0]));
    expect(await page.getByTestId("gantt").getByRole("option").textContent()).toContain(`Request ${slowest[0]}.`);
    expect(await page.getByTestId("selected-request").textContent()).toContain(`TTFT${(columns.ttftUs[slowest[0]!]! / 1_000).toLocaleString("en-US", { maximumFractionDigits: 3 })} ms`);
    expect(await page.getByTestId("concurrency").getAttribute("title")).toContain(`${detail.computed!.peakConcurrency} at most, ${detail.computed!.meanConcurrency!.toFixed(1)} on average`);
    const gantt = page.getByTestId("gantt");
    await gantt.focus();
    await page.keyboard.press("Home");
    await until("the first to be sent", () => param(page, "request"), (request) => request === "0");
    expect(await page.locator("[data-testid=requests-table-row][aria-selected=true]").getAttribute("data-row")).toBe("0");
    const window = async () => [await gantt.getAttribute("data-from"), await gantt.getAttribute("data-to")].map(Number) as [number, number];
    const [from, to] = await window();
    await page.keyboard.press("+");
    await until("a nearer look", window, ([a, b]) => b - a < (to - from) * 0.7);
    await page.getByTestId("gantt-follow").click();
    await until("following again", () => param(page, "time"), (time) => time === null);
    await page.getByTestId("gantt-latency").click();
    await until("each from its own start", window, ([a]) => a === 0);

    await page.getByTestId("columns").click();
    await page.getByTestId("column-error").uncheck();
    await page.getByTestId("column-itlmax").uncheck();
    await until("the columns in the URL", () => param(page, "hide"), (hide) => hide === "itlmax,error");
    await page.keyboard.press("Escape");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("save-csv").click()]);
    expect(download.suggestedFilename()).toMatch(/^simulated-400-requests-requests-\d{8}T\d{6}Z\.csv$/);
    const lines = readFileSync((await download.path())!, "utf8").split("\r\n");
    expect(lines[0]).toBe("request,start_us,queue_us,prefill_us,ttft_us,decode_us,tpot_us,latency_us,input_tokens,output_tokens,itl_p50_us,itl_p99_us");
    const [top] = slowest as [number];
    const of = (name: "startUs" | "queueUs" | "prefillUs" | "ttftUs" | "decodeUs" | "tpotUs" | "latencyUs" | "inputTokens" | "outputTokens" | "itlP50Us" | "itlP99Us") => columns[name][top] ?? "";
    expect(lines[1]).toBe([top, of("startUs"), of("queueUs"), of("prefillUs"), of("ttftUs"), of("decodeUs"), of("tpotUs"), of("latencyUs"), of("inputTokens"), of("outputTokens"), of("itlP50Us"), of("itlP99Us")].join(","));
    expect(lines.length).toBe(requests + 2);
  });

  test("dragging above the Gantt chooses a time, the wheel with Ctrl zooms, the pointer on a row or a point tells all of its request", async () => {
    const page = await open();
    await page.getByTestId("gantt").scrollIntoViewIfNeeded();
    const strip = (await page.getByTestId("concurrency").boundingBox())!;
    const [left, width] = [strip.x + 56, strip.width - 56];
    await page.mouse.move(left + width * 0.25, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(left + width * 0.4, strip.y + 20);
    await page.mouse.move(left + width * 0.5, strip.y + 20);
    await page.mouse.up();
    await until("a time in the URL", () => param(page, "time"), (time) => time !== null);
    const end = Math.max(...columns.startUs.map((start, row) => start! + (columns.latencyUs[row] ?? 0)));
    const [from, to] = param(page, "time")!.split("-").map((second) => Number(second) * 1e6) as [number, number];
    expect([from / end, to / end]).toEqual([expect.closeTo(0.25, 2), expect.closeTo(0.5, 2)]);
    const running = columns.startUs.filter((start, row) => start! <= to && start! + (columns.latencyUs[row] ?? 0) >= from).length;
    await page.getByText(`${running} of 400 requests ran in this time.`).waitFor();
    const gantt = page.getByTestId("gantt");
    const box = (await gantt.boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 20);
    const row = Number(await page.getByTestId("request-tooltip").getAttribute("data-row"));
    expect(await page.getByTestId("request-tooltip").textContent()).toContain(`Input tokens${columns.inputTokens[row]!.toLocaleString("en-US")}`);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await until("a shorter time", () => param(page, "time"), (time) => {
      const [a, b] = time!.split("-").map(Number) as [number, number];
      return b - a < ((to - from) / 1e6) * 0.8;
    });
  });

  test("the queue threshold comes from the data and is moved by keyboard and by dragging", async () => {
    const page = await open();
    const slider = page.getByTestId("queue-threshold");
    const value = async () => Number(await slider.getAttribute("aria-valuenow"));
    const usual = await value();
    const longer = (limitMs: number) => columns.queueUs.filter((us) => us !== null && us / 1_000 > limitMs).length;
    expect(await slider.getAttribute("aria-valuetext")).toContain(`: ${longer(usual)} of these requests waited longer`);
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await until("a lower line", value, (now) => now < usual);
    expect(Number(param(page, "queue"))).toBeCloseTo(await value(), 3);
    const box = (await slider.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.2, box.y + 10);
    await page.mouse.up();
    const dragged = await value();
    expect(dragged).toBeLessThan(usual);
    await until("the number of those that waited longer", () => slider.getAttribute("aria-valuetext"), (text) => text!.includes(`: ${longer(dragged)} of`));
    await page.getByRole("button", { name: "Reset" }).click();
    await until("the line where the data puts it", value, (now) => now === usual);
  });

  test("the limits a request is over stand in its row", async () => {
    const page = await open("?ttft=60&tpot=20&sort=-goodput");
    const over = columns.request.filter((_, row) => !columns.failed[row] && columns.ttftUs[row]! > 60_000 && columns.outputTokens[row]! > 1 && columns.tpotUs[row]! > 20_000);
    const first = page.getByTestId("requests-table-row").first();
    await until("the first row", () => first.getAttribute("data-row"), (row) => row !== null);
    expect(await page.locator("th[aria-sort=descending]").textContent()).toBe("Goodput");
    await until("a row over both", () => page.getByText("over TTFT, TPOT").count(), (count) => count > 0);
    expect(over.length).toBeGreaterThan(0);
  });

  test("a small run of hostile names: texts are texts, p99 of few requests is pale, what the file states otherwise stands below, a run that is still arriving says so", async () => {
    const tenant = await rig().tenant("odd-bench");
    const hostile = "<img src=x onerror=alert(1)>\u202e\u0007";
    const small = simulatedWorkload(30);
    const errors = small.requests.errors.map((_, row) => (row === 3 ? `${hostile} =1+1` : ""));
    const failed = small.requests.failed.map((flag, row) => (row === 3 ? 1 : flag));
    const stated = { completed: 28, ttftUs: { mean: 2 * small.computed!.ttftUs!.mean!, percentiles: { p50: small.computed!.ttftUs!.percentiles["p50"]! } } };
    const encoded = encodeWorkload({ ...small, stated, modelName: hostile, label: hostile, notes: [hostile], requests: { ...small.requests, errors, failed } }, { agentVersion: "browser test 1", workloadId: "c3".repeat(32), name: hostile, aggregates: [{ engine: hostile, metric: "queue_seconds", value: 3, observations: 4 }] });
    if (!encoded.ok) throw new Error(encoded.error.detail);
    for (const body of encoded.value) await tenant.upload("workloads", body);
    await tenant.upload("workloads", workloadUpload(5, { workloadId: "d4".repeat(32), name: "in two parts", part: 1, parts: 2 }));
    await rig().stack.settled();

    const page = await rig().page("/t/odd-bench/workloads");
    const printed = "<img src=x onerror=alert(1)>\\u{202e}\\u{7}";
    await page.getByText("in two parts · 1 of 2 parts stored").waitFor();
    await page.getByRole("link", { name: printed }).click();
    await page.getByTestId("gantt").waitFor();
    expect(await page.locator("h1").textContent()).toBe(printed);
    expect(await page.getByTestId("failures").textContent()).toContain(printed);
    await until("the engine's own figures", () => page.getByTestId("aggregates").textContent(), (text) => text!.includes(`${printed} queue_seconds: 3 seconds in 4 observations`));
    expect(await page.locator("img[src=x]").count()).toBe(0);
    const rows = page.getByTestId("percentiles").locator("tbody tr");
    expect(await rows.first().locator("[data-few=true]").textContent()).toContain("needs ≥ 100 requests");
    const second = await rows.nth(1).locator("th, td").allTextContents();
    expect(second.slice(0, 2)).toEqual(["the file states", ms(stated.ttftUs.mean)]);
    expect(await rows.nth(1).locator("[data-differs=true]").count(), "the mean alone: the median agrees").toBe(1);
    expect(await page.getByTestId("headline").textContent()).toContain("the file states 28");
    await page.goto(`/t/odd-bench/workloads/${"d4".repeat(32)}`);
    await page.getByText("The workload is still arriving: 1 of 2 parts are stored. Retry shortly.").waitFor();
    await page.waitForLoadState("networkidle"); // the run and its requests are asked for side by side, and both are refused
    rig().provoked(404);
  });

  test("a run of more than one page of the API is whole before it is drawn", async () => {
    const tenant = await rig().tenant("large-bench");
    const many = limits.workloadRequestsPerPageMax + 50;
    for (const body of simulatedUploads(many, "e5".repeat(32))) await tenant.upload("workloads", body);
    await rig().stack.settled();
    const page = await rig().page(`/t/large-bench/workloads/${"e5".repeat(32)}?sort=-request`);
    await page.getByTestId("gantt").waitFor();
    expect([await filtered(page), await tableRows(page)]).toEqual([`${many.toLocaleString("en-US")} requests`, many]);
    const last = page.getByTestId("requests-table-row").first();
    const { columns: of } = await tenant.get("workloadRequests", { params: { id: "e5".repeat(32) }, query: { sort: "-request", limit: "1" } });
    expect([await last.getAttribute("data-row"), await last.locator("th, td").nth(4).textContent()]).toEqual([String(many - 1), of.ttftUs[0] === null ? "—" : ms(of.ttftUs[0]!)]);
  });

  test("a run that knows its start leads to what else was measured meanwhile", async () => {
    const tenant = await rig().tenant("dated-bench");
    const startedAtS = 1_796_000_000;
    await tenant.upload("workloads", workloadUpload(5, { workloadId: "f6".repeat(32), name: "dated", startedAtS: BigInt(startedAtS), stated: [{ name: "durationS", value: 2.5 }] }));
    await rig().stack.settled();
    const page = await rig().page(`/t/dated-bench/workloads/${"f6".repeat(32)}`);
    const time = `from=${startedAtS}&to=${startedAtS + 4}`;
    expect(await page.getByRole("link", { name: "flamegraph", exact: true }).getAttribute("href")).toBe(`/t/dated-bench/flamegraph?${time}`);
    expect(await page.getByRole("link", { name: "engine metrics", exact: true }).getAttribute("href")).toBe(`/t/dated-bench/metrics?${time}`);
  });

  test("a tenant without runs is told how to import one; a run that is not there is no page", async () => {
    const page = await rig().page("/t/empty/workloads");
    await page.getByTestId("no-workloads").waitFor();
    expect(await page.getByTestId("no-workloads").textContent()).toContain("npx lamella import openai-infqps.json");
    await page.goto(`/t/bench/workloads/${"0".repeat(64)}`);
    await page.getByTestId("workload-not-found").waitFor();
    await page.waitForLoadState("networkidle"); // the run and its requests are asked for side by side, and both are refused
    rig().provoked(404);
  });
}
