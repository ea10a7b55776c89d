// The lines of the palette in groups. Nothing typed: what was used lately, then all by kind, each kind cut to a few. Something typed: one list, best fit first.
import { type Choice, choiceKinds } from "./choice.ts";
import { rankChoices } from "./rank-choices.ts";

export type ChoiceGroup = { readonly title: string; readonly choices: readonly Choice[]; readonly from: number }; // from: how many choices the groups before have

const recentMax = 5;
const perKindMax = 8; // before something is typed
export const foundMax = 60;

export function groupChoices(choices: readonly Choice[], typed: string, recent: readonly string[]): ChoiceGroup[] {
  const used = recent.flatMap((id) => choices.filter((choice) => choice.id === id));
  if (typed.trim() !== "") {
    const rest = choices.filter((choice) => !used.includes(choice));
    const found = rankChoices([...used, ...rest], typed).slice(0, foundMax); // equal fits: what was used lately first
    return found.length === 0 ? [] : [{ title: "", choices: found, from: 0 }];
  }
  const first = used.slice(0, recentMax);
  const kinds = choiceKinds.map((kind) => ({ title: `${kind}s`, choices: choices.filter((choice) => choice.kind === kind && !first.includes(choice)).slice(0, perKindMax) }));
  let from = 0;
  return [{ title: "Recent", choices: first }, ...kinds]
    .filter((group) => group.choices.length > 0)
    .map((group) => ({ ...group, from: (from += group.choices.length) - group.choices.length }));
}
