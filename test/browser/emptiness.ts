// "Nothing yet", "nothing here" and "not a page" are different words, each with a way on.
import { beforeAll, expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";

const long = /no profiled process loaded a PyTorch model in the range.*extraction is not enabled for that process.*LAMELLA_CUDAPROFILER__MODEL_SHAPE__ENABLED=true/s;

export function emptiness(rig: () => BrowserRig): void {
  beforeAll(async () => {
    const client = await rig().tenant("empty");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  });

  test("a new tenant: nothing was ingested yet, and how to change that", async () => {
    const page = await rig().page("/t/empty/flamegraph");
    const none = page.getByTestId("no-samples");
    await none.waitFor();
    expect(await none.locator("h2").textContent()).toBe("Nothing was ingested yet");
    expect(await none.textContent()).toContain("npx lamella import trace.json.gz");
    expect(await page.getByTestId("data-extent").getAttribute("data-state")).toBe("nothing-yet");
    await page.goto("/t/empty/models");
    await page.getByTestId("no-models").waitFor();
    expect(await page.getByTestId("no-models").textContent()).toContain("only be a matter of time");
    await page.goto("/t/empty/status");
    await page.getByTestId("status-figures").waitFor();
    expect(await page.locator("main").textContent()).toContain("No host has sent samples yet.");
  });

  test("a range before everything: no models seen, with the two causes; another range finds them", async () => {
    const page = await rig().page("/t/demo/models?from=-48h&to=-47h");
    const none = page.getByTestId("no-models");
    await none.waitFor();
    expect(await none.locator("h2").textContent()).toBe("No models seen in this time range");
    expect(await none.textContent()).toMatch(long);
    expect(await none.textContent()).not.toContain("matter of time");
    await page.getByTestId("time-range").click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByTestId("models-table").waitFor();
    expect(new URL(page.url()).search).toBe("?from=-7d");
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByTestId("status-figures").waitFor();
    expect(new URL(page.url()).search, "the range travels from page to page").toBe("?from=-7d");
  });

  test("a path below a tenant that is no page, a model that is not there, an address without a tenant", async () => {
    const page = await rig().page("/t/demo/nowhere");
    await page.getByTestId("not-found").waitFor();
    await page.goto(`/t/demo/models/${"ab".repeat(32)}`);
    await page.getByTestId("model-not-found").waitFor();
    rig().provoked(404);
    await page.goto("/");
    await page.getByTestId("no-tenant").waitFor();
    await page.getByRole("link", { name: "/t/demo/flamegraph" }).click();
    await page.getByTestId("flamegraph-summary").waitFor();
  });

  test("values in the URL that mean nothing are dropped, not an error", async () => {
    const page = await rig().page("/t/demo/flamegraph?from=yesterday&layers=maybe&focus=~~&execution=none&hide=,,&sort=1");
    await page.getByTestId("flamegraph-summary").waitFor();
    await page.goto("/t/demo/flamegraph?focus=zzzzzzzzzzzz");
    await page.getByText("The frame this link focuses is not in this selection.").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await page.getByText("The frame this link focuses is not in this selection.").waitFor({ state: "detached" });
  });
}
