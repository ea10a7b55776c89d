// What a chart's canvas takes from the page: theme colours as plain values, and the font of its labels.
export const inkNames = ["page", "text", "muted", "line", "hover", "accent", "danger", "queue", "prefill", "decode", "first"] as const;
export type Ink = Readonly<Record<(typeof inkNames)[number], string>>;

export function readInk(element: Element): Ink {
  const style = getComputedStyle(element);
  return Object.fromEntries(inkNames.map((name) => [name, style.getPropertyValue(`--canvas-${name}`).trim()])) as Ink;
}

export const chartFont = "11px Inter, system-ui, sans-serif";
