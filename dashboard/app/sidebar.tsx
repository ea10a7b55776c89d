// The sidebar: the tenant, its pages (Models only while its flag is on), the theme and the keyboard sheet.
import { Activity, Boxes, Flame, KeyRound, Keyboard, Monitor, Moon, Sun, ToggleRight, type LucideIcon } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { openKeyboardSheet } from "./keyboard-sheet.tsx";
import { useSession } from "./session.tsx";
import { keepRange } from "./keep-range.ts";
import { useTheme, type ThemeChoice } from "./theme.tsx";
import style from "./sidebar.module.css";

const themes: readonly { readonly choice: ThemeChoice; readonly label: string; readonly icon: LucideIcon }[] = [
  { choice: "light", label: "Light", icon: Sun },
  { choice: "dark", label: "Dark", icon: Moon },
  { choice: "system", label: "As the system", icon: Monitor },
];

export function Sidebar() {
  const { me } = useSession();
  const theme = useTheme();
  return (
    <aside className={style.side}>
      <div className={style.brand}>
        <img src="/favicon.svg" alt="" width="24" height="24" />
        <span className={style.text}>
          <strong>Lamella</strong>
          <span className={style.tenant} title={`Tenant ${me.tenant.slug}`} data-testid="tenant-name">
            {me.tenant.name}
          </span>
        </span>
      </div>
      <nav aria-label="Pages" className={style.nav}>
        <Entry to="/t/$tenant/flamegraph" icon={Flame} label="Flamegraph" />
        {me.flags.models === true && <Entry to="/t/$tenant/models" icon={Boxes} label="Models" badge="Beta" />}
        <Entry to="/t/$tenant/status" icon={Activity} label="Status" />
        <h2 className={style.group}>Settings</h2>
        <Entry to="/t/$tenant/settings/flags" icon={ToggleRight} label="Feature flags" />
        {me.scopes.includes("admin") && <Entry to="/t/$tenant/settings/tokens" icon={KeyRound} label="Tokens" />}
      </nav>
      <div className={style.foot}>
        <div role="group" aria-label="Theme" className={style.themes}>
          {themes.map(({ choice, label, icon: Icon }) => (
            <button
              key={choice}
              type="button"

              aria-pressed={theme.choice === choice}
              aria-label={label}
              title={label}
              onClick={() => theme.choose(choice)}
              data-testid={`theme-${choice}`}
            >
              <Icon size={14} />
            </button>
          ))}
        </div>
        <button type="button" className={style.keys} aria-label="Keyboard" title="Keyboard (?)" onClick={openKeyboardSheet}>
          <Keyboard size={15} />
        </button>
      </div>
    </aside>
  );
}

type EntryProps = {
  readonly to: "/t/$tenant/flamegraph" | "/t/$tenant/models" | "/t/$tenant/status" | "/t/$tenant/settings/flags" | "/t/$tenant/settings/tokens";
  readonly icon: LucideIcon;
  readonly label: string;
  readonly badge?: string;
};

function Entry({ to, icon: Icon, label, badge }: EntryProps) {
  const { tenant } = useSession();
  return (
    <Link to={to} params={{ tenant }} search={keepRange as never} className={style.entry} activeOptions={{ includeSearch: false }} title={label}>
      <Icon size={16} aria-hidden="true" />
      <span className={style.text}>{label}</span>
      {badge !== undefined && <span className={style.badge}>{badge}</span>}
    </Link>
  );
}
