// The mark of a role: two letters on its tint, so that colour is never the only cue.
import type { ModuleRole } from "#core/shape/role.ts";
import style from "./role-mark.module.css";

const letters: Readonly<Record<ModuleRole, string>> = { Embedding: "Em", Attention: "At", Norm: "No", "Linear / MLP": "Li", Activation: "Ac", Other: "·" };

export function RoleMark({ role }: { readonly role: ModuleRole }) {
  return (
    <span className={style.mark} data-role={role} aria-hidden="true">
      {letters[role]}
    </span>
  );
}
