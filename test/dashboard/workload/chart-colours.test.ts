// The colours of a request's times must stay apart for people with any colour blindness, and be seen against the page (3:1), in both themes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contrast, deltaE2000, seenBy, visions } from "../colour-vision.ts";

const css = readFileSync(new URL("../../../dashboard/app/tokens.css", import.meta.url), "utf8");
const themes = (token: string) => new RegExp(`--${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css)!.slice(1, 3);

test.each([["light", 0], ["dark", 1]] as const)("%s", (_, theme) => {
  const page = themes("page")[theme]!;
  const colours = ["queue", "prefill", "decode", "first"].map((kind) => themes(`canvas-${kind}`)[theme]!);
  for (const colour of colours) expect(contrast(colour, page), colour).toBeGreaterThanOrEqual(3);
  for (const vision of visions)
    for (const [at, a] of colours.entries()) for (const b of colours.slice(0, at)) expect(deltaE2000(seenBy(vision, a), seenBy(vision, b)), `${vision}: ${a} ${b}`).toBeGreaterThanOrEqual(10);
});
