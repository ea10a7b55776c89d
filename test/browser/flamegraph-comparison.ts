// Two selections beside one another: chosen in a dialog, drawn as the API answers it, with the sign in words, in the URL.
import { expect, test } from "vitest";
import { comparedGraph } from "#core/flamegraph/compare/compared-graph.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

const withoutFirst = '!(module.path == "model.layers.0")';

export function flamegraphComparison(rig: () => BrowserRig): void {
  // A: all but the first layer. B: all of it.
  const compared = async (more = "") => {
    const { execution } = await rig().stack.demo.get("flamegraph");
    const query = { execution: execution!.id, a_execution: execution!.id, a_filter: withoutFirst, layers: "show" as const };
    const view = new FlamegraphPage(await rig().page(`/t/demo/flamegraph?layers=show&execution=${execution!.id}&compare=${execution!.id}&compareFilter=${encodeURIComponent(withoutFirst)}${more}`));
    await view.page.getByTestId("comparison").waitFor();
    return { view, id: execution!.id, answer: await rig().stack.demo.get("flamegraphCompare", { query }) };
  };
  const press = async (view: FlamegraphPage, testId: string) => await view.page.getByTestId(testId).click();

  test("the dialog asks for A, and refuses what would compare a thing with itself", async () => {
    const view = new FlamegraphPage(await rig().page("/t/demo/flamegraph"));
    await view.drawn();
    await press(view, "compare");
    await view.page.getByTestId("compare-dialog").waitFor();
    await press(view, "compare-with-filter");
    await press(view, "compare-apply");
    expect(await view.page.getByRole("alert").textContent()).toContain("write another for A");
    await view.page.getByTestId("compare-filter").fill(withoutFirst);
    await press(view, "compare-apply");
    await view.page.getByTestId("comparison").waitFor();
    const { execution } = await rig().stack.demo.get("flamegraph");
    expect([view.params.get("execution"), view.params.get("compare"), view.params.get("compareFilter")]).toEqual([execution!.id, execution!.id, withoutFirst]);
    expect(await view.page.getByTestId("comparison-sides").textContent()).toMatch(/^Aexecution [0-9a-f]{12} demo: .*Bexecution /);
    await press(view, "compare-stop");
    await view.page.getByTestId("flamegraph-summary").waitFor();
    expect([view.params.get("compare"), view.params.get("compareFilter")]).toEqual([null, null]);
  });

  test("every box is as wide as both sides have it, blue or red, and says by how much", async () => {
    const { view, answer } = await compared();
    const { nodes, figures } = comparedGraph(answer);
    const width = await view.width();
    const boxes = await view.boxes("the comparison", (all) => all.length > 20);
    for (const box of boxes) {
      expect(box.name).toBe(answer.frames.name[nodes.frame[box.node]!]);
      expect(Math.abs(box.width - (nodes.total[box.node]! / nodes.total[0]!) * width)).toBeLessThanOrEqual(1);
    }
    const added = await view.box("Qwen3DecoderLayer layers.0");
    const kept = await view.box("Qwen3DecoderLayer layers.1");
    expect(figures[added.node]).toMatchObject({ a: 0, relative: null });
    expect(figures[kept.node]!.relative).toBeLessThan(-0.1); // of a whole that is larger
    expect(await view.pixel(added.x + added.width - 3, added.y + 12)).toEqual([0xea, 0x7a, 0x66]);
    const [red, , blue] = await view.pixel(kept.x + kept.width - 3, kept.y + 12) as [number, number, number];
    expect(blue).toBeGreaterThan(red);
    await view.hover(kept);
    const b = answer.nodes.b[kept.node]! / answer.b.value;
    expect(await view.tooltip.textContent()).toContain(`B${(b * 100).toFixed(1)} %`);
    expect(await view.tooltip.textContent()).toContain(`Change−${Math.abs(figures[kept.node]!.relative! * 100).toFixed(1)} %`);
    await view.click(added);
    expect(await view.selected.textContent()).toMatch(/^new {2}Qwen3DecoderLayer layers\.0, A 0\.0 %, B /);
  });

  test("only what is new, only what is gone, and the other way round", async () => {
    const { view } = await compared();
    await press(view, "changes-new");
    const boxes = await view.boxes("only the first layer", (all) => all.length > 5 && !all.some(({ name }) => name === "Qwen3DecoderLayer layers.1"));
    expect(boxes.some(({ name }) => name === "Qwen3DecoderLayer layers.0")).toBe(true);
    await press(view, "changes-gone");
    await view.page.getByTestId("no-changes").waitFor();
    await press(view, "changes-all");
    await view.drawn();
    await press(view, "compare-swap");
    await until("A and B exchanged", () => view.params.get("filter"), (filter) => filter === withoutFirst);
    expect(view.params.get("compareFilter")).toBe(" "); // none: without a value A would have that of B
  });

  test("the table is what the answer says changed, on the basis that is chosen", async () => {
    const { view, id, answer } = await compared("&view=table");
    const shown = () => view.page.getByTestId("changed-module").getByTestId("changed-row").evaluateAll((rows) => rows.map((row) => [row.getAttribute("data-key"), row.querySelector("td:nth-of-type(3)")!.textContent]));
    const is = (rows: typeof answer.modules) => rows.map(({ path, relative, a, b }) => [path, relative === null ? (a.count === 0 && b.count > 0 ? "new" : "—") : `${relative > 0 ? "+" : relative < 0 ? "−" : ""}${Math.abs(relative * 100).toFixed(1)} %`]);
    await until("the modules", shown, (found) => JSON.stringify(found) === JSON.stringify(is(answer.modules)));
    await view.page.getByTestId("compare-basis").selectOption("time");
    const byTime = await rig().stack.demo.get("flamegraphCompare", { query: { execution: id, a_execution: id, a_filter: withoutFirst, layers: "show", basis: "time" } });
    await until("the modules by time", shown, (found) => JSON.stringify(found) === JSON.stringify(is(byTime.modules)));
    expect(view.params.get("basis")).toBe("time");
    await view.page.reload();
    await until("the same after a reload", shown, (found) => JSON.stringify(found) === JSON.stringify(is(byTime.modules)));
  });

  test("a comparison that cannot be made says why and offers another", async () => {
    const { execution } = await rig().stack.demo.get("flamegraph");
    const page = await rig().page(`/t/demo/flamegraph?execution=${execution!.id}&compare=before`);
    await page.getByTestId("failure").waitFor();
    expect(await page.getByTestId("failure").textContent()).toContain("say with `a_execution` which one it is compared with");
    rig().provoked(400);
    await page.getByTestId("compare").click();
    await page.getByTestId("compare-dialog").waitFor();
  });
}
