import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findServer } from "#cli/server.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "lamella-cli-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function stackIn(path: string, url: string): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "stack.json"), JSON.stringify({ url, tenant: "demo", token: "lml_api_x", pid: 1 }));
}

test("--data-dir wins over the environment", () => {
  stackIn("named", "http://127.0.0.1:1");
  expect(findServer("named", { LAMELLA_URL: "https://elsewhere/t/x", LAMELLA_TOKEN: "t" }, folder).url).toBe("http://127.0.0.1:1");
});

test("LAMELLA_URL carries the tenant, or LAMELLA_TENANT does", () => {
  expect(findServer(undefined, { LAMELLA_URL: "https://host/t/team-a", LAMELLA_TOKEN: "t" }, folder)).toEqual({ url: "https://host", tenant: "team-a", token: "t" });
  expect(findServer(undefined, { LAMELLA_URL: "https://host/", LAMELLA_TENANT: "team-b", LAMELLA_TOKEN: "t" }, folder)).toEqual({ url: "https://host", tenant: "team-b", token: "t" });
});

test("a .lamella folder here or above is found, as git finds its own", () => {
  stackIn(".lamella", "http://127.0.0.1:2");
  mkdirSync(join(folder, "a/b"), { recursive: true });
  expect(findServer(undefined, {}, join(folder, "a/b"))).toEqual({ url: "http://127.0.0.1:2", tenant: "demo", token: "lml_api_x" });
});

test.each([
  ["nothing at all", {}, /npm start.*--data-dir.*LAMELLA_URL/],
  ["a URL without a tenant", { LAMELLA_URL: "https://host", LAMELLA_TOKEN: "t" }, /LAMELLA_TENANT/],
  ["a URL that is none", { LAMELLA_URL: "host:80", LAMELLA_TOKEN: "t" }, /https:\/\/host\/t\/TENANT/],
  ["a URL without a token", { LAMELLA_URL: "https://host/t/a" }, /LAMELLA_TOKEN is not/],
])("%s: the error says how to fix it", (_, env, words) => {
  expect(() => findServer(undefined, env, folder)).toThrow(words);
});

test("a stack file that was cut or holds something else: said in a sentence", () => {
  for (const content of ["{", "", "null", "[]", '{"url":"http://127.0.0.1:1"}']) {
    mkdirSync(join(folder, "cut"), { recursive: true });
    writeFileSync(join(folder, "cut", "stack.json"), content);
    expect(() => findServer("cut", {}, folder), content).toThrow(/stack\.json is not complete\. Start the stack again/);
  }
});
