// What part of the tree is on screen: an interval of the root's value, across the width. Vertical scrolling is the page's own.
// Invariant: 0 <= left < right <= whole, and right - left never falls below `narrowest` of the whole, so a box's edge stays exact in a double.
export type View = { readonly left: number; readonly right: number };

const narrowest = 1e-9;

export function wholeView(whole: number): View {
  return { left: 0, right: Math.max(whole, Number.MIN_VALUE) };
}

// The interval moved and resized as little as possible to lie inside the whole.
export function clampView(view: View, whole: number): View {
  const width = Math.min(whole, Math.max(view.right - view.left, whole * narrowest));
  const left = Math.min(Math.max(0, view.left), whole - width);
  return { left, right: left + width };
}

// Zoom by `factor` (> 1: closer) so that the value under `at` (0…1 across the width) stays where it is.
export function zoomView(view: View, factor: number, at: number, whole: number): View {
  const width = view.right - view.left;
  const value = view.left + width * at;
  const next = Math.min(whole, width / factor);
  return clampView({ left: value - next * at, right: value + next * (1 - at) }, whole);
}

// Move by a share of the width: 0.1 shows what lies to the right.
export function panView(view: View, share: number, whole: number): View {
  const by = (view.right - view.left) * share;
  return clampView({ left: view.left + by, right: view.right + by }, whole);
}

export function betweenViews(from: View, to: View, progress: number): View {
  const eased = 1 - (1 - progress) ** 3;
  return { left: from.left + (to.left - from.left) * eased, right: from.right + (to.right - from.right) * eased };
}

export function sameView(a: View, b: View): boolean {
  return a.left === b.left && a.right === b.right;
}
