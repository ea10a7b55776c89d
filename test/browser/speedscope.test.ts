// Exports opened by speedscope itself, in a real browser: what its table shows is what the profile holds.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExportFormat, exportFormats } from "#schema/export-formats.ts";
import { drawn, exported, exportedGzip, source } from "#test/rig/export-profiles.ts";

const app = fileURLToPath(new URL("../../node_modules/speedscope/dist/release", import.meta.url));

const contentTypes: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };
const opened = ["speedscope", "folded", "pprof", "chrome"] as const satisfies ExportFormat[];

describe("speedscope opens", () => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url!.split("?")[0]!.slice(1) || "index.html";
      const format = opened.find((one) => path === `gpu.${exportFormats[one].extension}`);
      const found = format === undefined ? join(app, path) : undefined;
      response.setHeader("content-type", contentTypes[path.split(".").at(-1)!] ?? "application/octet-stream");
      if (format !== undefined) response.end(format === "pprof" ? exportedGzip(format, drawn) : exported(format, drawn));
      else response.writeHead(existsSync(found!) ? 200 : 404).end(existsSync(found!) ? readFileSync(found!) : "");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    browser = await chromium.launch({ executablePath: process.env.LAMELLA_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test.each(opened)("%s", async (format) => {
    const page = await browser.newPage();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await page.goto(`${url}#profileURL=${encodeURIComponent(`${url}gpu.${exportFormats[format].extension}`)}&view=sandwich`);
    await page.getByText("Symbol Name").waitFor();
    // Rows of "total (share)", "self (share)", name; of a Chrome trace the arguments are part of the name.
    const cells = (await page.locator("tr").allInnerTexts()).map((row) => row.split(/\s*[\t\n]+\s*/).filter(Boolean)).filter(([total]) => total !== "Total");
    const rows = cells.map(([total, self, name]) => [name!.replace(/ \{.*\}$/, ""), ...[total, self].map((cell) => cell!.replace(/ \(.*/, ""))]);
    const [ten, two, twelve, five, none] = format === "folded" ? ["10,000,000", "2,000,001", "12,000,001", "5", "0"] : ["10.00ms", "2.00ms", "12.00ms", "5.00ns", "0.00ns"];
    expect(rows).toEqual(expect.arrayContaining([["void gemm<float, 4>(int*)", ten, ten], ["norm", two, two], ["load", five, five], ["Block h.0", twelve, none], ["Net tiny", twelve, none]]));
    if (format === "speedscope") expect(await page.title()).toBe(`${source.title} - speedscope`);
    await page.close();
  }, 60_000);
});
