// Where a menu opens: at a point, or below a thing and as a second choice above it; always whole inside the window where it fits.
export type MenuAnchor = { readonly left: number; readonly top: number; readonly bottom: number }; // CSS px in the window; a point has top = bottom

const edge = 8; // CSS px left free along the window's edge

export function placeMenu(
  anchor: MenuAnchor,
  menu: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
): { readonly left: number; readonly top: number } {
  const left = Math.max(edge, Math.min(anchor.left, window.width - edge - menu.width));
  const below = anchor.bottom;
  const above = anchor.top - menu.height;
  const lowest = window.height - edge - menu.height;
  const top = below <= lowest ? below : above >= edge ? above : Math.max(edge, lowest);
  return { left, top };
}
