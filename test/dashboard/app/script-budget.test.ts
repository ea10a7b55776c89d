// What the pages may weigh on the way to a browser: gzip of script, of the real build.
import { beforeAll, expect, test } from "vitest";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "#local/worker.ts";
import { type ScriptSizes, scriptSizes } from "#test/rig/script-sizes.ts";

const firstMax = 200_000;
const routeMax = 40_000;
let sizes: ScriptSizes;
beforeAll(async () => {
  sizes = await scriptSizes();
});

test("whichever page is opened first, at most 200 kB", () => {
  expect(sizes.first).toBeGreaterThan(50_000); // React alone: less means nothing was measured
  expect(Object.entries(sizes.lazy).filter(([, bytes]) => sizes.first + bytes > firstMax)).toEqual([]);
});

test("each page, and whatever is loaded later, adds at most 40 kB", () => {
  expect(Object.entries(sizes.lazy).filter(([, bytes]) => bytes > routeMax)).toEqual([]);
});

// Every format's reader is in it; it is loaded when a file is opened, beside a page that works already.
test("the reader of files is a worker of at most 100 kB", () => {
  expect(Object.keys(sizes.workers)).toEqual(["file-worker"]);
  expect(sizes.workers["file-worker"]).toBeLessThan(100_000);
});

test("every page is a chunk of its own", () => {
  const pages = readdirSync(join(root, "dashboard/pages"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("-page.tsx"));
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.map((file) => `pages/${file}`).filter((page) => !(page in sizes.lazy))).toEqual([]);
});
