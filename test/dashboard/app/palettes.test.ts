// Every colour that means something is looked at as every eye sees it: a token that is no surface, text or state of the interface must be named in a test that simulates
// colour vision (those that import colour-vision.ts).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "#local/worker.ts";

// Surfaces, text and states; they never stand for a kind of thing, and words say the state too.
const plain = /^(page|sunken|raised|hover|border|border-strong|text|text-muted|accent|accent-fill|accent-tint|on-accent|danger|danger-tint|warning|warning-tint|success|shadow|sans|mono|radius|motion|canvas-(page|text|match|merged|muted|line|hover|accent|danger))$/;

test("no palette is left out of the simulation of colour vision", () => {
  const css = readFileSync(join(root, "dashboard/app/tokens.css"), "utf8");
  const tokens = [...new Set([...css.matchAll(/^\s+--([\w-]+):/gm)].map((match) => match[1]!))];
  const folder = join(root, "test/dashboard");
  const simulations = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .filter((text) => text.includes("colour-vision.ts"))
    .join("\n");
  const meant = tokens.filter((token) => !plain.test(token));
  expect(meant.length).toBeGreaterThan(10);
  // "--role-" covers the family, or the token stands there itself.
  expect(meant.filter((token) => !simulations.includes(token) && !simulations.includes(`${token.replace(/-[^-]+$/, "")}-`))).toEqual([]);
});
