// Which frame kinds the URL takes out of the stacks: `layers=hide` for Model Layer, `hide=` for the others.
import { frameKindNames, type FrameKindName } from "#schema/frame-kinds.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";

export type HiddenSearch = Pick<FlamegraphSearch, "layers" | "hide">;

export function hiddenKinds({ layers, hide }: HiddenSearch): ReadonlySet<FrameKindName> {
  const named = new Set(hide?.split(","));
  return new Set(frameKindNames.filter((kind) => named.has(kind) || (kind === "layer" && layers === "hide")));
}

export function toggleKind(search: HiddenSearch, kind: FrameKindName): HiddenSearch {
  const hidden = new Set(hiddenKinds(search));
  if (!hidden.delete(kind)) hidden.add(kind);
  const others = frameKindNames.filter((name) => name !== "layer" && hidden.has(name));
  const shown = search.layers === "fold" ? "fold" : undefined;
  return { layers: hidden.has("layer") ? "hide" : shown, hide: others.length === 0 ? undefined : others.join(",") };
}
