// A file dropped on the window is opened in the browser: nothing of it is sent, and what is shown is what the command line would store.
import { beforeAll, expect, test } from "vitest";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { gzipSync, gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { root } from "#local/worker.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

const demo = join(root, "local/demo/qwen3-demo.trace.json.gz");
const dump = `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="m"} 3
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{model_name="<img src=x onerror=alert(1)>"} 1200
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{model_name="m",le="+Inf"} 4
vllm:time_to_first_token_seconds_sum{model_name="m"} 2.0
vllm:time_to_first_token_seconds_count{model_name="m"} 4
`;
const benchmark = JSON.stringify({
  backend: "vllm", model_id: "org/simulated", num_prompts: 4, request_rate: "inf", duration: 2, completed: 4, total_input_tokens: 40, total_output_tokens: 12,
  request_throughput: 2, output_throughput: 6, total_token_throughput: 26,
  input_lens: [10, 10, 10, 10], output_lens: [3, 3, 3, 3], ttfts: [0.1, 0.2, 0.3, 0.4], itls: [[0.01, 0.01], [0.01, 0.02], [0.01, 0.03], [0.01, 0.04]], generated_texts: ["", "", "", ""], errors: ["", "", "", ""],
});

export function file(rig: () => BrowserRig): void {
  beforeAll(() => rig().tenant("files"));
  const choose = (page: Page, name: string, content: Buffer | string) => page.getByTestId("file-picker").setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  // What leaves the page while it runs.
  async function quietly(page: Page, act: () => Promise<void>): Promise<void> {
    const sent: string[] = [];
    const heard = (request: { method(): string; url(): string; postData(): string | null }) => void (request.method() !== "GET" && sent.push(`${request.method()} ${request.url()}`));
    page.on("request", heard);
    await act();
    page.off("request", heard);
    expect(sent).toEqual([]);
  }

  test("a trace dropped on any page becomes the flamegraph that storing it would give, with its report", async () => {
    const page = await rig().page("/t/files/status");
    await page.getByTestId("status-figures").waitFor();
    const content = readFileSync(demo).toString("base64");
    await quietly(page, async () => {
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(${JSON.stringify(content)}), (c) => c.charCodeAt(0))], "run <b>1</b>.json.gz"));
        for (const type of ["dragenter", "dragover", "drop"]) document.querySelector("main").dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      })()`);
      await page.waitForURL(/\/t\/files\/file\?name=/);
      await page.getByTestId("flamegraph-summary").waitFor();
    });
    const view = new FlamegraphPage(page);
    await view.drawn();
    const stored = await rig().stack.demo.get("flamegraph", { query: { execution: "latest" } });
    expect(await view.data(view.summary, "total")).toBe(String(stored.total));
    expect(await view.data(view.summary, "without-layer")).toBe(String(stored.withoutLayer));
    expect(await page.locator("h1").textContent()).toBe("run <b>1</b>.json.gz");
    expect(await page.getByTestId("file-facts").textContent()).toContain("stored nowhere");
    await page.getByText("Import report").click();
    expect(await page.getByTestId("file-report").textContent()).toMatch(/operator calls · [\d.,]+ ms CPU operator time/);
    await page.getByText("Store it").click();
    expect(await page.getByTestId("file-facts").locator("pre").textContent()).toBe("npx lamella import 'run <b>1</b>.json.gz'");
    // A view of it is asked of the worker, is in the address, and totals stay.
    await page.getByTestId("layers-fold").click();
    await until("folded layers", async () => (await view.drawn()).some((box) => box.name === "Qwen3DecoderLayer layers.*"), Boolean);
    expect(view.params.get("layers")).toBe("fold");
    expect(await view.data(view.summary, "total")).toBe(String(stored.total));
    expect(await page.getByTestId("view-table").count() + (await page.getByTestId("export").count()) + (await page.getByTestId("to-execution").count())).toBe(0);
    // Another page and back: still open. A reload: the address asks for the file again.
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByTestId("status-figures").waitFor();
    await page.goBack();
    await page.getByTestId("flamegraph-summary").waitFor();
    await page.reload();
    await page.getByTestId("no-file").waitFor();
    expect(await page.getByTestId("no-file").locator("h2").textContent()).toBe("Drop run <b>1</b>.json.gz again");
    await choose(page, "run <b>1</b>.json.gz", readFileSync(demo));
    await until("folded as the address says", async () => (await view.drawn()).some((box) => box.name === "Qwen3DecoderLayer layers.*"), Boolean);
  });

  test("a benchmark's result is shown as a run, a metrics dump as its table", async () => {
    const page = await rig().page("/t/files/file");
    await page.getByTestId("no-file").waitFor();
    await quietly(page, async () => {
      await choose(page, "result.json", benchmark);
      await page.getByTestId("file-facts").waitFor();
      await page.getByRole("heading", { name: "Times" }).waitFor();
    });
    expect(await page.getByTestId("file-facts").getAttribute("data-kind")).toBe("benchmark");
    await quietly(page, async () => {
      await choose(page, "metrics.txt.gz", gzipSync(dump));
      await page.getByTestId("metrics-table").waitFor();
    });
    expect(await page.getByTestId("metrics-count").textContent()).toBe("3 series; 1 buckets and quantiles of distributions are not listed");
    const cells = await page.getByTestId("metrics-table-row").first().locator("th, td").allTextContents();
    expect(cells).toEqual(["prompt_tokens", "counter", "1200", "—", "tokens", "vllm", "<img src=x onerror=alert(1)>", "—"]);
    await page.getByTestId("metrics-table-sort-value").click();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-value");
  });

  test("what is no such file is refused with what is read; half a gzip is read as far as it goes and says so", async () => {
    const page = await rig().page("/t/files/file");
    await choose(page, "letter.txt", "Dear friend,\nhow are you?\n");
    await page.getByTestId("file-refused").waitFor();
    expect(await page.getByTestId("file-refused").textContent()).toMatch(/letter\.txt cannot be opened.*no profile format that is known.*vLLM, SGLang, InferenceX/s);
    await choose(page, "report.sqlite", "SQLite format 3\0".padEnd(100, "\0"));
    await until("the next refusal", () => page.getByTestId("file-refused").textContent(), (text) => text!.includes("npx lamella import FILE reads it"));
    await choose(page, "empty", "");
    await until("the file is empty", () => page.getByTestId("file-refused").textContent(), (text) => text!.includes("the file is empty"));
    const half = gzipSync(gunzipSync(readFileSync(demo))).subarray(0, -20_000);
    await choose(page, "half.json.gz", half);
    await page.getByTestId("flamegraph-summary").waitFor();
    expect(await page.getByTestId("file-facts").textContent()).toContain("gzip breaks off");
  });

  test("the palette opens the picker", async () => {
    const page = await rig().page("/t/demo/status");
    await page.getByTestId("status-figures").waitFor();
    const choosing = page.waitForEvent("filechooser"); // long before it comes: the browser has to be told to hand it over
    await page.keyboard.press("Control+k");
    await page.getByTestId("palette-input").fill("open a file…");
    await until("the action chosen", () => page.locator("[role=option][aria-selected=true]").textContent(), (text) => text?.includes("Open a file…") === true);
    await page.keyboard.press("Enter");
    const chooser = await choosing;
    await chooser.setFiles({ name: "stacks.folded", mimeType: "text/plain", buffer: Buffer.from("main;serve 3\nmain;load 1\n") });
    await page.getByTestId("flamegraph-summary").waitFor();
    expect(await page.getByTestId("flamegraph-summary").getAttribute("data-total")).toBe("4");
  });
}
