// axe-core on every page, state and dialog, in both themes and both widths: no violation of any of its rules.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { root } from "#local/worker.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { until } from "#test/rig/until.ts";
import { drawnExecutions } from "./executions.ts";

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };

// `axe.source` goes in by the debugger: the page's own policy forbids inline script.
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const found = await page.evaluate<Violation[]>("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)");
  return found.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((node) => `  ${node.html.slice(0, 160)} ${node.failureSummary}`).join("\n")}`);
}

type State = { readonly path: string; readonly ready: string; readonly act?: (page: Page) => Promise<void>; readonly provokes?: number };

export function accessibility(rig: () => BrowserRig): void {
  const visited = new Set<string>(); // paths that were looked at
  const drawn = (page: Page) => until("a drawing", () => page.getByTestId("flamegraph-canvas").getAttribute("data-boxes"), (boxes) => boxes !== null);
  const openFile = (page: Page, name: string, text: string) => page.getByTestId("file-picker").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const states: Record<string, State> = {
    "the flamegraph": { path: "/t/demo/flamegraph", ready: "flamegraph-summary" },
    "a frame selected and a search": {
      path: "/t/demo/flamegraph?search=Attention", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.getByTestId("flamegraph-search").press("Enter");
        await page.getByTestId("flamegraph-details").waitFor();
      },
    },
    "a frame's callers, layers folded": { path: "/t/demo/flamegraph?layers=fold&invert=1&frame=16", ready: "around" },
    "the model beside a frame": {
      path: "/t/demo/flamegraph?search=Qwen3MLP", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.getByTestId("flamegraph-search").press("Enter");
        await page.getByTestId("module-copies").waitFor();
      },
    },
    "fills by role": { path: "/t/demo/flamegraph?colour=role", ready: "colour-key" },
    "a comparison": { path: "/t/demo/flamegraph?compare=latest&execution=latest&compareFilter=!(module.path+%3D%3D+%22model.layers.0%22)", ready: "comparison" },
    "a comparison as a table": { path: "/t/demo/flamegraph?compare=latest&execution=latest&view=table&compareFilter=!(module.path+%3D%3D+%22model.layers.0%22)", ready: "comparison-table" },
    "what to compare with": { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: async (page) => void (await page.getByTestId("compare").click(), await page.getByTestId("compare-dialog").waitFor()) },
    "a frame's menu": {
      path: "/t/demo/flamegraph?recursion=collapse&chains=group", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.getByTestId("flamegraph-tree").click({ button: "right", position: { x: 60, y: 50 } });
        await page.getByTestId("frame-menu").waitFor();
      },
    },
    "the export": { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: async (page) => void (await page.getByTestId("export").click(), await page.getByTestId("export-dialog").waitFor()) },
    "the top table": { path: "/t/demo/flamegraph?view=table&by=module", ready: "top-table" },
    "the pointer on a frame": {
      path: "/t/demo/flamegraph", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.getByTestId("flamegraph-tree").hover({ position: { x: 60, y: 50 } });
        await page.getByTestId("flamegraph-tooltip").waitFor();
      },
    },
    "completions in the filter": {
      path: "/t/demo/models", ready: "models-table",
      act: async (page) => {
        await page.getByTestId("filter").press("ArrowDown");
        await page.getByTestId("filter").press("ArrowDown");
        await page.getByTestId("filter-offers").waitFor();
      },
    },
    "a mistake in the filter": { path: '/t/demo/flamegraph?filter=foo.bar+%3D%3D+"x"', ready: "filter-problem", provokes: 400 },
    "a mistake in the search": { path: "/t/demo/flamegraph?search=/%5B/", ready: "text-problems" },
    "the keyboard sheet": { path: "/t/demo/status", ready: "status-figures", act: async (page) => void (await page.keyboard.press("?"), await page.getByTestId("keyboard-sheet").waitFor()) },
    "the command palette": { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: async (page) => void (await page.keyboard.press("Control+k"), await page.getByTestId("palette-option").first().waitFor()) },
    "the command palette that finds nothing": { path: "/t/demo/status", ready: "status-figures", act: async (page) => void (await page.keyboard.press("Control+k"), await page.getByTestId("palette-input").fill("zzzz"), await page.getByText("Nothing here fits").waitFor()) },
    "the time range": { path: "/t/demo/models", ready: "models-table", act: async (page) => void (await page.getByTestId("time-range").click(), await page.getByRole("dialog").waitFor()) },
    "no samples": { path: "/t/empty/flamegraph", ready: "no-samples" },
    models: { path: "/t/demo/models", ready: "models-table" },
    "no models": { path: "/t/empty/models", ready: "no-models" },
    "a model": { path: "/t/demo/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "qwen3-demo" }).click(), await page.locator('[data-path="lm_head"]').click(), await page.getByTestId("module-details").waitFor()) },
    executions: { path: "/t/traces/executions", ready: "executions-table" },
    "no executions": { path: "/t/no-traces/executions", ready: "no-executions" },
    "an execution's profiler, a module with an odd copy and an operator open": { path: `/t/traces/executions/${drawnExecutions.fast}?path=layers.0.attn&op=aten::mm`, ready: "kernel-chain" },
    "requests side by side, what the file lacks": { path: `/t/traces/executions/${drawnExecutions.fast}?with=${drawnExecutions.slow}`, ready: "requests-strip", act: async (page) => void (await page.getByTestId("execution-gaps").locator("summary").click()) },
    "engine metrics, a moment selected": { path: "/t/engines/metrics?from=-2h", ready: "panels", act: async (page) => void (await page.getByTestId("chart-ttft").press("Home"), await page.getByTestId("selected-moment").waitFor()) },
    "no engine metrics": { path: "/t/empty/metrics", ready: "no-metrics" },
    workloads: { path: "/t/bench/workloads", ready: "workloads-table" },
    "no workloads": { path: "/t/empty/workloads", ready: "no-workloads" },
    "a workload": { path: `/t/bench/workloads/${"a1".repeat(32)}`, ready: "gantt" },
    "the columns of a workload's table": { path: `/t/bench/workloads/${"a1".repeat(32)}?hide=start`, ready: "gantt", act: async (page) => void (await page.getByTestId("columns").click(), await page.getByTestId("column-ttft").waitFor()) },
    "some of a workload, a request selected": {
      path: `/t/bench/workloads/${"a1".repeat(32)}?input=100-2000&brush=ttft:100,2000,0,200&log=1&request=7&ttft=60&order=latency&sort=-ttft`, ready: "gantt",
      act: async (page) => {
        await page.getByTestId("gantt").hover({ position: { x: 90, y: 20 } });
        await page.getByTestId("request-tooltip").waitFor();
      },
    },
    "layers beside each other, one of them opened at an operator": { path: `/t/traces/executions/${drawnExecutions.fast}?view=layers&layer=1&path=layers.0.attn`, ready: "layer-panel", act: async (page) => void (await page.getByTestId("layer-operator").click(), await page.getByTestId("kernel-chain").waitFor()) },
    "kernels, one of them chosen": { path: `/t/traces/executions/${drawnExecutions.fast}?view=kernels&kernel=0`, ready: "kernel-panel" },
    "operators of a CPU recording": { path: "/t/demo/executions", ready: "executions-table", act: async (page) => void (await page.getByTestId("executions-row").first().locator("a").click(), await page.getByTestId("view-kernels").click(), await page.getByTestId("operators").waitFor()) },
    "steps of an execution": { path: `/t/traces/executions/${drawnExecutions.fast}?view=steps`, ready: "steps" },
    "two executions compared": { path: `/t/traces/executions/${drawnExecutions.fast}?view=compare&with=${drawnExecutions.slow}`, ready: "compared-modules" },
    "nothing to compare with yet": { path: `/t/traces/executions/${drawnExecutions.fast}?view=compare`, ready: "nothing-chosen" },
    "an architecture": { path: `/t/traces/executions/${drawnExecutions.forward}?view=architecture`, ready: "layer-sidebar" },
    "an architecture with a module selected": { path: `/t/traces/executions/${drawnExecutions.fast}?view=architecture&path=layers.0.attn`, ready: "module-panel" },
    "the module list": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.getByTestId("view-list").click(), await page.getByTestId("module-tree").waitFor()) },
    "a role in the spotlight": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.getByTestId("role-Norm").click(), await page.getByTestId("spark").first().waitFor()) },
    "the copies of a module": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.locator('[data-path="model.layers.0"]').click(), await page.getByTestId("unfold").click(), await page.getByTestId("copies").waitFor()) },
    "hits of a module search": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.getByTestId("module-search").fill("proj"), await page.getByTestId("module-hits").waitFor()) },
    "a module's menu": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.locator('[data-path="model.norm"]').click({ button: "right" }), await page.getByTestId("module-menu").waitFor()) },
    "memory of a model": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.getByTestId("view-memory").click(), await page.getByTestId("memory").waitFor()) },
    "two models compared": { path: "/t/graph/models", ready: "models-table", act: async (page) => void (await page.getByRole("link", { name: "Qwen/Qwen3-32B", exact: true }).click(), await page.getByTestId("view-compare").click(), await page.getByTestId("compare-with").selectOption({ index: 1 }), await page.getByTestId("shape-changes").waitFor()) },
    flags: { path: "/t/demo/settings/flags", ready: "flag-row" },
    tokens: { path: "/t/demo/settings/tokens", ready: "tokens-table" },
    "a new token": { path: "/t/demo/settings/tokens", ready: "tokens-table", act: async (page) => void (await page.getByTestId("new-token").click(), await page.getByTestId("new-token-dialog").waitFor()) },
    "no file": { path: "/t/demo/file?name=run.json", ready: "no-file" },
    "a file of stacks": { path: "/t/demo/file", ready: "no-file", act: async (page) => void (await openFile(page, "a.folded", "main;serve 3\nmain;load 1\n"), await page.getByTestId("flamegraph-summary").waitFor(), await drawn(page)) },
    "a file of metrics": { path: "/t/demo/file", ready: "no-file", act: async (page) => void (await openFile(page, "m.txt", '# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{model_name="m"} 3\n'), await page.getByTestId("metrics-table").waitFor()) },
    "a file that is refused": { path: "/t/demo/file", ready: "no-file", act: async (page) => void (await openFile(page, "a.txt", "Dear friend,\n"), await page.getByTestId("file-refused").waitFor()) },
    "setting up": { path: "/t/demo/setup", ready: "setup-form" },
    "setting up what does not go together": { path: "/t/demo/setup?engine=triton&gpu=amd&tags=x", ready: "setup-refused" },
    status: { path: "/t/demo/status", ready: "status-figures" },
    "no page": { path: "/t/demo/nowhere", ready: "not-found" },
    "no tenant": { path: "/t/absent/flamegraph", ready: "no-tenant", provokes: 404 },
  };

  // One visit a state: light and wide, then dark and narrow, as a person who switches sees it.
  const looks = [["light", 1440], ["dark", 900]] as const;

  test.each(Object.entries(states))("%s", async (_, { path, ready, act, provokes }) => {
    const page = await rig().page(path);
    await page.getByTestId(ready).waitFor();
    await act?.(page);
    for (const [theme, width] of looks) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 900 });
      expect(await violations(page), `${theme}, ${width} px`).toEqual([]);
    }
    visited.add(new URL(page.url()).pathname);
    if (provokes !== undefined) rig().provoked(provokes);
  });

  // Read from the route table itself: a page that nobody listed above is found here.
  test("every page of the route table is among them", (context) => {
    if (visited.size < 8) context.skip(); // only some of the tests were asked for
    const paths = [...readFileSync(join(root, "dashboard/app/routes.tsx"), "utf8").matchAll(/getParentRoute: \(\) => tenantRoute,\s*path: "(\/[^"]+)"/g)].map((match) => match[1]!);
    expect(paths.length).toBeGreaterThan(8);
    const shown = (path: string) => [...visited].some((one) => new RegExp(`^/t/[^/]+${path.replace(/\$\w+/g, "[^/]+")}$`).test(one));
    expect(paths.filter((path) => !shown(path))).toEqual([]);
  });

  test("signed out, a spent link and the Worker's own pages", async () => {
    const context = await rig().stranger();
    const page = await rig().watch(context);
    for (const [path, provokes] of [["/t/demo/flamegraph", 401], ["/sign-in/local?code=spent", 401], ["/docs", 0], ["/docs/errors", 0]] as const) {
      await page.goto(path);
      await page.locator("h1").waitFor();
      for (const [theme] of looks) {
        await page.emulateMedia({ colorScheme: theme });
        expect(await violations(page), `${path}, ${theme}`).toEqual([]);
      }
      if (provokes !== 0) rig().provoked(provokes);
    }
    await context.close();
  });
}
