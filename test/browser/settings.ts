// Flags, tokens and the status page: what they say is what the API says, and what they do takes effect.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { limits } from "#schema/limits.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { until } from "#test/rig/until.ts";

export function settings(rig: () => BrowserRig): void {
  const entries = (page: Page) => page.locator("nav a").allTextContents();

  test("the Models flag hides the entry and the page; Undo brings both back", async () => {
    const page = await rig().page("/t/demo/settings/flags");
    const toggle = page.getByRole("switch", { name: "Models" });
    await until("the switch on", () => toggle.getAttribute("aria-checked"), (on) => on === "true");
    expect((await entries(page)).some((entry) => entry.startsWith("Models"))).toBe(true);
    await toggle.click();
    await until("no Models in the sidebar", () => entries(page), (all) => !all.some((entry) => entry.startsWith("Models")));
    await rig().stack.demo.refused("flag_off", "models");

    const other = await rig().watch(page.context());
    await other.goto("/t/demo/models");
    await other.getByTestId("flag-off").waitFor();
    expect(await other.getByTestId("flag-off").textContent()).toMatch(/Models are switched off.*Model Layer frames in the flamegraph do not depend on it/s);
    await other.goto("/t/demo/flamegraph");
    await until("layers all the same", () => other.getByTestId("flamegraph-canvas").getAttribute("data-boxes"), (boxes) => boxes?.includes('"kind":"layer"') === true);
    await other.close();
    rig().provoked(403);

    await page.getByTestId("toasts").getByRole("button", { name: "Undo" }).click();
    await until("Models in the sidebar", () => entries(page), (all) => all.some((entry) => entry.startsWith("Models")));
    expect(await toggle.getAttribute("aria-checked")).toBe("true");
    expect((await rig().stack.demo.get("models")).models).toHaveLength(1);
    expect(await page.getByTestId("flag-row").textContent()).toMatch(/Changed just now by You\./);
  });

  test("a token is made, its secret is shown once, and revoking ends it", async () => {
    const page = await rig().page("/t/demo/settings/tokens");
    await page.getByTestId("new-token").click();
    await page.getByTestId("token-name").fill("nightly <import>");
    await page.getByTestId("token-make").click();
    const secret = (await page.getByTestId("token-secret").textContent())!;
    expect(secret).toMatch(/^lml_api_/);
    // The line that the page gives, in a real shell.
    const line = (await page.getByTestId("token-curl").textContent())!;
    const curl = () => promisify(execFile)("/bin/bash", ["-c", `${line} -s -w '%{http_code}'`], { env: { PATH: process.env.PATH, LAMELLA_TOKEN: secret } }).then(({ stdout }) => stdout);
    expect(await curl()).toMatch(/"scopes":\["read"\].*200$/s);
    const bearer = rig().stack.demo.as(secret);
    expect(await bearer.get("me")).toMatchObject({ scopes: ["read"] });
    await bearer.refused("scope_missing", "tokens");
    await page.getByRole("button", { name: "I have stored it" }).click();
    const row = page.getByTestId("tokens-table").locator("tbody tr").filter({ hasText: "nightly <import>" });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/API · [a-z2-7]+read/);
    const tail = secret.slice(-40);
    expect(await page.content()).not.toContain(tail);
    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(tail);

    await page.getByRole("button", { name: "Revoke nightly <import>" }).click();
    await page.getByTestId("revoke-token").getByRole("button", { name: "Keep it" }).click();
    expect(await row.getAttribute("data-state")).toBe("valid");
    await page.getByRole("button", { name: "Revoke nightly <import>" }).click();
    await page.getByTestId("revoke-token").getByRole("button", { name: /^Revoke/ }).click();
    await until("the row revoked", () => row.getAttribute("data-state"), (state) => state === "revoked");
    await until("the token refused", async () => (await bearer.send("me")).status, (status) => status === 401, limits.tokenCacheSecondsMax * 1000);
    expect(await curl()).toMatch(/"code":"token_invalid".*The token was revoked.*401$/s);
  });

  test("status shows the figures of the API", async () => {
    const page = await rig().page("/t/demo/status");
    const status = await rig().stack.demo.get("status");
    const figures = page.getByTestId("status-figures");
    await figures.waitFor();
    const shown = await figures.locator("> div").allTextContents();
    const values = { Samples: status.samples, Uploads: status.uploads.stored, Quarantined: 0, Executions: 1, Models: 1 };
    for (const [i, [label, value]] of Object.entries(values).entries()) expect(shown[i]).toMatch(new RegExp(`^${label}${value.toLocaleString("en-US")}\\D`));
    expect(await page.getByTestId("host-row").allTextContents()).toEqual([expect.stringMatching(/^demo(just now|\d+ (s|min) ago)$/)]);
    expect(await page.getByTestId("data-extent").textContent()).toMatch(/^data is current to \d\d:\d\d$/);
    await page.getByRole("link", { name: "open the latest" }).click();
    await page.getByTestId("flamegraph-summary").waitFor();
    expect(new URL(page.url()).searchParams.get("execution")).toBe("latest");
  });
}
