// Links between pages carry the time range and nothing else.
export function keepRange(search: Record<string, unknown>): Record<string, unknown> {
  return { from: search.from, to: search.to };
}
