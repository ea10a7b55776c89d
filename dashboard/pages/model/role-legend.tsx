// The roles, and the spotlight: hover one to see its modules, click it to keep them lit, Escape to let go.
import { moduleRoles, type ModuleRole } from "#core/shape/role.ts";
import { RoleMark } from "./role-mark.tsx";
import style from "./model-structure.module.css";

export function RoleLegend({ kept, hover, keep }: { readonly kept: ModuleRole | null; readonly hover: (role: ModuleRole | null) => void; readonly keep: (role: ModuleRole | null) => void }) {
  return (
    <div className={style.legend} role="group" aria-label="Roles" data-testid="roles">
      {moduleRoles.map((role) => (
        <button
          key={role}
          type="button"
          className={style.role}
          aria-pressed={kept === role}
          title={kept === role ? "Let go of the spotlight (Escape)" : `Keep the spotlight on ${role}`}
          onPointerEnter={() => hover(role)}
          onPointerLeave={() => hover(null)}
          onFocus={() => hover(role)}
          onBlur={() => hover(null)}
          onClick={() => keep(kept === role ? null : role)}
          data-testid={`role-${role}`}
        >
          <RoleMark role={role} />
          {role}
        </button>
      ))}
    </div>
  );
}
