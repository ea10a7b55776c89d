// What was chosen in the palette lately, latest first, kept in this browser for each tenant. Ids only: what is gone since then is simply not found again.
const keptMax = 20;
const keyOf = (tenant: string) => `lamella.recent.${tenant}`;

export function recentIds(tenant: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(tenant)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // Storage is blocked, or another program wrote there.
  }
}

export function noteChosen(tenant: string, id: string): void {
  try {
    localStorage.setItem(keyOf(tenant), JSON.stringify([id, ...recentIds(tenant).filter((one) => one !== id)].slice(0, keptMax)));
  } catch {
    // Storage is blocked: nothing is remembered.
  }
}
