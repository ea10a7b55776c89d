// The one-time link, and what somebody sees who has no session.
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";

export function signIn(rig: () => BrowserRig): void {
  test("the link signs in once: first the flamegraph, then a page that says what to do", async () => {
    const link = await rig().stack.stack.signInUrl();
    const first = await rig().stranger();
    const page = await rig().watch(first);
    await page.goto(link);
    expect(new URL(page.url()).pathname).toBe("/t/demo/flamegraph");
    await page.getByTestId("flamegraph-summary").waitFor();
    expect((await page.getByTestId("tenant-name").textContent())).toBe("Demo");
    expect(await first.cookies()).toMatchObject([{ name: "lamella_session", httpOnly: true, sameSite: "Lax", path: "/" }]);

    const second = await rig().stranger();
    const late = await rig().watch(second);
    const answer = await late.goto(link);
    expect(answer!.status()).toBe(401);
    expect(await late.locator("h1").textContent()).toBe("This sign-in link does not work");
    expect(await late.locator("main").textContent()).toMatch(/used already.*Press Enter in the terminal where npm start runs/s);
    expect(await second.cookies()).toEqual([]);
    rig().provoked(401);
    await Promise.all([first.close(), second.close()]);
  });

  test("a program gets the same refusal as problem+json", async () => {
    const link = await rig().stack.stack.signInUrl();
    expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    const again = await fetch(link, { redirect: "manual" });
    expect([again.status, again.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(await again.json()).toMatchObject({ code: "session_invalid", detail: expect.stringContaining("used already") });
  });

  test("signed out, a page says how to get in", async () => {
    const context = await rig().stranger();
    const page = await rig().watch(context);
    await page.goto("/t/demo/models?from=-7d");
    await page.getByTestId("signed-out").waitFor();
    expect(await page.locator("h1").textContent()).toBe("You are not signed in");
    expect(await page.getByTestId("signed-out").textContent()).toContain("npm start");
    rig().provoked(401);
    // The link leads in, and the button of the page that was left open goes on where it stood.
    await (await rig().watch(context)).goto(await rig().stack.stack.signInUrl());
    await page.getByRole("button", { name: "I have signed in" }).click();
    await page.getByTestId("models-table").waitFor();
    expect(page.url()).toContain("/t/demo/models?from=-7d");
    await context.close();
  });

  test("a tenant of others and one that does not exist look the same", async () => {
    await rig().stack.tenant("others");
    const texts: string[] = [];
    for (const slug of ["others", "absent"]) {
      const page = await rig().page(`/t/${slug}/flamegraph`);
      texts.push((await page.getByTestId("no-tenant").textContent())!.replaceAll(slug, "…"));
      rig().provoked(404);
    }
    expect(texts[0]).toContain("There is no tenant “…” for you");
    expect(texts[1]).toBe(texts[0]);
  });
}
