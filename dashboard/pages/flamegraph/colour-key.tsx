// What the fills say, where it is not the kind of a frame.
import { moduleRoles } from "#core/shape/role.ts";
import { layerScale, outsideFill, roleFills, selfScale, type ColourMode } from "./colour-modes.ts";
import style from "./colour-key.module.css";

const scaled = (scale: readonly string[]) => `linear-gradient(to right, ${scale[0]}, ${scale.at(-1)})`;

export function ColourKey({ mode }: { readonly mode: ColourMode }) {
  return (
    <ul className={style.key} aria-label="What fills say" data-testid="colour-key">
      {mode === "role" &&
        moduleRoles.map((role) => (
          <li key={role}>
            <i style={{ background: roleFills[role] }} />
            {role}
          </li>
        ))}
      {mode !== "role" && (
        <li>
          {mode === "layer" ? "first block" : "nothing ends in it"}
          <i data-scale="" style={{ background: scaled(mode === "layer" ? layerScale : selfScale) }} />
          {mode === "layer" ? "last block" : "most"}
        </li>
      )}
      {mode !== "self" && (
        <li>
          <i style={{ background: outsideFill }} />
          {mode === "role" ? "in no module" : "in no block"}
        </li>
      )}
    </ul>
  );
}
