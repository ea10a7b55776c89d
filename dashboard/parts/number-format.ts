// Numbers as people read them, in the texts of core, so that pages and command line show the same. Rounded text always has an exact twin, shown on hover.
// Decimal units: 65.5 GB is 65.5 × 10⁹ bytes.
import { quantityText, shareText } from "#core/quantity.ts";
import { bytesText, countText, exactText } from "#core/shape/number-text.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";

export type Unit = Flamegraph["unit"];
export type Formatted = { readonly text: string; readonly exact: string };

export function formatExact(value: number): string {
  return exactText(value);
}

// 32762123264 → 32.8B; below 10,000 the number itself.
export function formatCount(value: number): Formatted {
  const exact = exactText(value);
  return { text: value < 10_000 ? exact : countText(value), exact };
}

export function formatBytes(value: number): Formatted {
  return { text: bytesText(value), exact: `${exactText(value)} bytes` };
}

// A value in the unit an answer states: 45430123 ns → 45.43 ms.
export function formatValue(value: number, unit: Unit): Formatted {
  const exact = unit === "count" ? exactText(value) : `${exactText(value)} ${unit === "us" ? "µs" : "ns"}`;
  return { text: quantityText(value, unit), exact };
}

// A share of 0…1.
export function formatShare(share: number): string {
  return shareText(Number.isFinite(share) ? share : 0);
}

// Made once: one made anew for each cell of a table takes longer than all else about it.
const twoDigits = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const sixDigits = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

// µs as milliseconds, the unit of a column: 45430 → 45.43. Always two digits, so that a column lines up.
export function formatMs(us: number): Formatted {
  return { text: twoDigits.format(us / 1_000), exact: `${sixDigits.format(us / 1_000)} ms` };
}

// A rate whose unit is in the heading: 2962.218 → 2,962.2.
export function formatRate(value: number): Formatted {
  return { text: value.toLocaleString("en-US", { minimumFractionDigits: value < 100 ? 2 : 1, maximumFractionDigits: value < 100 ? 2 : 1 }), exact: value.toLocaleString("en-US", { maximumFractionDigits: 9 }) };
}
