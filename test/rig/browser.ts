// A person with a browser in front of a whole stack: real Chromium, signed in through the one-time link. Every page it opens is watched: what a page complains
// of on the console, a request that leaves the origin, and an HTML answer without a content security policy are collected, and the suite fails on any.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { openApi } from "#cli/api.ts";
import { importFile } from "#cli/import.ts";
import { buildDashboard } from "#local/build-dashboard.ts";
import { ensureMember } from "#workers/control/tenants.ts";
import type { Client } from "#test/rig/client.ts";
import { StackRig } from "#test/rig/stack.ts";

const flags = "--no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const window = { width: 1440, height: 900 };
const waitMs = 60_000;

export class BrowserRig {
  readonly stack: StackRig;
  readonly browser: Browser;
  readonly #complaints: string[] = [];
  #person!: BrowserContext;

  private constructor(stack: StackRig, browser: Browser) {
    this.stack = stack;
    this.browser = browser;
  }

  static async open(): Promise<BrowserRig> {
    await buildDashboard();
    const stack = await StackRig.open();
    const browser = await chromium.launch({ executablePath: process.env.LAMELLA_CHROMIUM ?? "/usr/bin/chromium", args: flags.split(" ") });
    const rig = new BrowserRig(stack, browser);
    rig.#person = await rig.stranger();
    await (await rig.watch(rig.#person)).goto(await stack.stack.signInUrl());
    return rig;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.stack.remove();
  }

  get url(): string {
    return this.stack.stack.url;
  }

  // A browser profile of its own, signed in nowhere.
  async stranger(): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: window, baseURL: this.url, colorScheme: "light", reducedMotion: "reduce" });
    context.setDefaultTimeout(waitMs);
    return context;
  }

  // A page of the signed-in person at a path such as "/t/demo/models".
  async page(path: string): Promise<Page> {
    for (const old of this.#person.pages()) await old.close();
    const page = await this.watch(this.#person);
    await page.goto(path);
    return page;
  }

  async watch(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    const complain = (text: string) => void this.#complaints.push(`${text} (on ${page.url()})`);
    page.on("console", (message) => void (message.type() !== "log" && complain(`console ${message.type()}: ${message.text()}`)));
    page.on("pageerror", (error) => complain(`uncaught: ${String(error)}`));
    page.on("request", (request) => void (new URL(request.url()).origin !== this.url && complain(`left the origin: ${request.url()}`)));
    page.on("dialog", (dialog) => {
      complain(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("response", (response) => {
      const { "content-type": type = "", "content-security-policy": policy = "" } = response.headers();
      if (type.startsWith("text/html") && !/default-src 'self'.*object-src 'none'.*frame-ancestors 'none'/.test(policy)) complain(`HTML without a content security policy: ${response.url()}`);
    });
    return page;
  }

  // Chromium writes every refused request on the console. A test that provokes one says so, and it must have happened.
  provoked(status: number): void {
    const found = this.#complaints.filter((one) => one.includes(`status of ${status}`));
    expect(found.length, `a request answered ${status}; complaints: ${this.#complaints.join("\n")}`).toBeGreaterThan(0);
    for (const one of found) this.#complaints.splice(this.#complaints.indexOf(one), 1);
  }

  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  // A tenant that the person is a member of, with a token for what a test sends and compares.
  async tenant(slug: string): Promise<Client> {
    const client = await this.stack.tenant(slug);
    await ensureMember(this.stack.stack.worker.control, client.tenantId, "you@localhost", "You", "owner", Date.now());
    return client;
  }

  // Through the same code as `lamella import`. Answers the execution's id.
  async import(client: Client, file: string, name: string): Promise<string> {
    const api = openApi({ url: this.url, tenant: client.slug, token: client.token });
    const { executionId } = await importFile(api, file, { name, agentVersion: "browser test 1", context: { hostName: "demo" }, progress: () => undefined });
    await this.stack.settled();
    return executionId;
  }
}
