// The pages in real Chromium in front of the whole real stack. One stack and one browser for all of it: each file beside this one proves one area.
// Whatever the test, no page may complain on its console, ask another origin for anything, or come without a content security policy.
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { join } from "node:path";
import { root } from "#local/worker.ts";
import { BrowserRig } from "#test/rig/browser.ts";
import { accessibility } from "./accessibility.ts";
import { emptiness } from "./emptiness.ts";
import { executions } from "./executions.ts";
import { file } from "./file.ts";
import { filter } from "./filter.ts";
import { flamegraph } from "./flamegraph.ts";
import { flamegraphComparison } from "./flamegraph-comparison.ts";
import { flamegraphMenu } from "./flamegraph-menu.ts";
import { flamegraphMinimap } from "./flamegraph-minimap.ts";
import { flamegraphViews } from "./flamegraph-views.ts";
import { frameToModel } from "./frame-to-model.ts";
import { gpuTrace } from "./gpu-trace.ts";
import { hostileNames } from "./hostile-names.ts";
import { keyboard } from "./keyboard.ts";
import { metrics } from "./metrics.ts";
import { models } from "./models.ts";
import { moduleGraph } from "./module-graph.ts";
import { settings } from "./settings.ts";
import { preferences } from "./preferences.ts";
import { setup } from "./setup.ts";
import { shell } from "./shell.ts";
import { signIn } from "./sign-in.ts";
import { workloads } from "./workloads.ts";

let opened: BrowserRig | undefined;
const rig = () => opened!;

beforeAll(async () => {
  opened = await BrowserRig.open();
  await opened.import(opened.stack.demo, join(root, "local/demo/qwen3-demo.trace.json.gz"), "demo: a small Qwen3, recorded on a CPU");
});
afterAll(() => opened?.close());
afterEach(() => {
  expect(rig().takeComplaints(), "what the pages complained of").toEqual([]);
  expect(rig().stack.log.splice(0), "what the Worker warned of").toEqual([]);
});

describe("signing in", () => signIn(rig));
describe("the flamegraph", () => flamegraph(rig));
describe("the flamegraph looked at in other ways", () => flamegraphViews(rig));
describe("two flamegraphs compared", () => flamegraphComparison(rig));
describe("the menu of a frame", () => flamegraphMenu(rig));
describe("from a frame to the model", () => frameToModel(rig));
describe("the minimap of the flamegraph", () => flamegraphMinimap(rig));
describe("the flamegraph by keyboard", () => keyboard(rig));
describe("the filter", () => filter(rig));
describe("executions", () => executions(rig));
describe("models", () => models(rig));
describe("the shell", () => shell(rig));
describe("setting up", () => setup(rig));
describe("a dropped file", () => file(rig));
describe("workloads", () => workloads(rig));
describe("engine metrics", () => metrics(rig));
describe("the module graph", () => moduleGraph(rig));
describe("settings and status", () => settings(rig));
describe("where there is nothing", () => emptiness(rig));
describe("hostile names", () => hostileNames(rig));
describe("what a person has set", () => preferences(rig));
describe("accessibility", () => accessibility(rig));

const data = process.env.LAMELLA_TEST_DATA;
describe.skipIf(data === undefined)("a trace of an H100 (LAMELLA_TEST_DATA is set)", () => gpuTrace(rig, `${data}/kineto/tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz`));
