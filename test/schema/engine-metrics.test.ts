// The closed list of engine metrics and the page that explains it.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type EngineMetricMeaning, engineMetrics } from "#schema/engine-metrics.ts";

const metrics = Object.entries<EngineMetricMeaning>(engineMetrics);

test("docs/metrics.md has every metric with its kind, unit and meaning, in the order of the list", () => {
  const page = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]*) \| ([^|]+) \|/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(metrics.map(([name, meaning]) => [name, meaning.kind === "gauge" ? `gauge, ${meaning.over === "sum" ? "summed" : "averaged"}` : meaning.kind, meaning.unit, meaning.title]));
});

test("names say their base unit, shares are averaged, and no name ends as the store ends the parts of another", () => {
  for (const [name, meaning] of metrics) {
    expect([name, /_(bucket|quantile|sum|count|total|value)$/.test(name)]).toEqual([name, false]);
    if (meaning.unit === "seconds" || meaning.unit === "bytes") expect(name).toMatch(new RegExp(`_${meaning.unit}$`));
    if (meaning.unit === "ratio") expect([name, name.endsWith("_ratio"), meaning.kind === "gauge" && meaning.over]).toEqual([name, true, "average"]);
  }
});
