// The sentence of an empty panel. It knows what every engine calls its metrics, so it is loaded only where a panel is empty.
import { printable } from "#core/printable.ts";
import type { PanelSpec } from "./panels.ts";
import { whyMissing } from "./why-missing.ts";

export function MissingText({ spec, present, filtered }: { readonly spec: PanelSpec; readonly present: readonly string[]; readonly filtered: boolean }) {
  return <>{printable(whyMissing(spec, present, filtered))}</>;
}
