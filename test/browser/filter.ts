// The filter bar on live samples: narrowing, mistakes shown where they stand, and values offered from the data.
import { beforeAll, expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import type { Client } from "#test/rig/client.ts";
import { FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { until } from "#test/rig/until.ts";
import { samplesUpload } from "#test/rig/uploads.ts";

const served = (value: number) => drawProfile(`main\nNet@net:layer\ngemm:gpu_kernel\n${value}/1`);

export function filter(rig: () => BrowserRig): void {
  let client: Client;
  beforeAll(async () => {
    client = await rig().tenant("live");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    await client.upload("samples", samplesUpload(served(300_000), { hostName: "node-7", k8sNamespace: "inference" }));
    await client.upload("samples", samplesUpload(served(500_000), { hostName: "node-8", k8sNamespace: "training" }));
    await rig().stack.settled();
  });
  const open = async (query = ""): Promise<FlamegraphPage> => new FlamegraphPage(await rig().page(`/t/live/flamegraph${query}`));
  const totalIs = (view: FlamegraphPage, total: number) => until("the total", () => view.data(view.summary, "total"), (shown) => shown === String(total));
  const apply = async (view: FlamegraphPage, text: string) => {
    await view.page.getByTestId("filter").fill(text);
    await view.page.getByTestId("filter").press("Enter");
  };

  test("a filter narrows, is in the URL, and clearing it widens again", async () => {
    const view = await open();
    await totalIs(view, 800_000);
    expect(await view.page.getByTestId("execution-notice").count()).toBe(0);
    await apply(view, 'host.name == "node-7"');
    await totalIs(view, 300_000);
    expect(view.params.get("filter")).toBe('host.name == "node-7"');
    await view.page.reload();
    await totalIs(view, 300_000);
    await view.page.getByRole("button", { name: "Clear the filter" }).click();
    await totalIs(view, 800_000);
    await view.page.goBack();
    await totalIs(view, 300_000);
    await apply(view, 'host.name.startsWith("node-") && !(k8s.namespace.name in ["training"])');
    await totalIs(view, 300_000);
    await apply(view, 'host.name == "node-9"');
    await view.page.getByTestId("no-samples").waitFor();
  });

  test.each(["flamegraph", "models"])("a field that does not exist is named where it stands (%s)", async (where) => {
    const page = await rig().page(`/t/live/${where}?filter=${encodeURIComponent('host.name == "node-7" && foo.bar == "x"')}`);
    const problem = page.getByTestId("filter-problem");
    await problem.waitFor();
    rig().provoked(400);
    expect(await problem.getAttribute("data-code")).toBe("filter_field_unsupported");
    expect(await problem.locator("strong").textContent()).toBe("Unsupported filter field");
    expect(await problem.locator("mark").allTextContents()).toEqual(["foo.bar"]);
    expect(await problem.locator("pre").textContent()).toBe(`host.name == "node-7" && foo.bar == "x"\n${" ".repeat(25)}^^^^^^^`);
    expect((await problem.textContent())!.split("k8s.pod.name").length - 1, "the fields of the page are listed once").toBe(1);
    expect((await problem.textContent())!.includes("kernel.name")).toBe(where === "flamegraph");
    expect(await page.getByTestId("filter").getAttribute("aria-invalid")).toBe("true");
  });

  test("a misspelt field gets a suggestion, a broken text its place", async () => {
    const view = await open();
    await totalIs(view, 800_000);
    await apply(view, 'hots.name == "node-7"');
    const problem = view.page.getByTestId("filter-problem");
    await until("the suggestion", () => problem.textContent(), (text) => text?.includes("Did you mean host.name?") === true);
    await apply(view, "host.name ==");
    await until("the place of the break", () => problem.getAttribute("data-code"), (code) => code === "filter_syntax");
    rig().provoked(400);
    await apply(view, "");
    await totalIs(view, 800_000);
  });

  test("a filter is put together from what is offered: fields of the page, operators, real values with their counts", async () => {
    const view = await open();
    await totalIs(view, 800_000);
    const input = view.page.getByTestId("filter");
    const offers = () => view.page.getByTestId("filter-offers").getByRole("option").allTextContents();
    await input.pressSequentially("ns");
    await until("no such field", () => view.page.getByTestId("filter-offers").count(), (lists) => lists === 0);
    await input.fill("name");
    await until("fields", offers, (all) => all[0] === "host.name" && all.includes("kernel.name"));
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    await until("the first chosen", () => input.getAttribute("aria-activedescendant"), (id) => id !== null);
    await input.press("Enter");
    await until("operators", offers, (all) => all[0] === "==");
    await input.press("ArrowDown");
    await input.press("Tab");
    await until("hosts with their samples", offers, (all) => all.join() === '"node-7"1 sample,"node-8"1 sample');
    await view.page.getByRole("option", { name: "node-8" }).click();
    expect(await input.inputValue()).toBe('host.name == "node-8" ');
    await until("connectives", offers, (all) => all.join() === "&&,||");
    await input.press("Escape"); // closes the list and keeps the text
    expect(await view.page.getByTestId("filter-offers").count()).toBe(0);
    await input.press("Enter");
    await totalIs(view, 500_000);
    await input.press("ArrowDown");
    await until("the list again", offers, (all) => all.length > 0);
    await view.page.getByTestId("flamegraph-search").focus();
    await until("no list without the focus", () => view.page.getByTestId("filter-offers").count(), (lists) => lists === 0);
  });
}
