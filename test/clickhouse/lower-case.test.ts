// A substring of a search ignores case in the store (clickhouse/frame-search.ts) as it does here (core/flamegraph/search.ts).
import { afterAll, expect, test } from "vitest";
import { openEngine } from "#test/rig/engine.ts";

const engine = openEngine();
afterAll(() => engine.close());

test("lowerUTF8 is JavaScript's toLowerCase for every character", async () => {
  const texts: string[] = [];
  for (let point = 1; point < 0x2_0000; point++) if (point < 0xd800 || point > 0xdfff) texts.push(`ΑΣ ${String.fromCodePoint(point)}Σ`);
  for (let at = 0; at < texts.length; at += 30_000) {
    const part = texts.slice(at, at + 30_000);
    const rows = await engine.query<{ lower: string }>("SELECT lowerUTF8(text) AS lower FROM (SELECT arrayJoin({texts:Array(String)}) AS text)", { texts: part });
    expect(rows.flatMap(({ lower }, i) => (lower === part[i]!.toLowerCase() ? [] : [part[i]]))).toEqual([]);
  }
});
