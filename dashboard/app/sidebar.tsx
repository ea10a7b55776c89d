// The sidebar: the tenant, its pages (Models only while its flag is on), the theme and the keyboard sheet.
import { Keyboard, Monitor, Moon, Search, Sun, type LucideIcon } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { openKeyboardSheet } from "./keyboard-sheet.tsx";
import { pagesOf, type ListedPage } from "./page-list.ts";
import { useSession } from "./session.tsx";
import { keepRange } from "./keep-range.ts";
import { isApple, openCommandPalette } from "./palette/command-palette.tsx";
import { TenantName } from "./tenant-name.tsx";
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
  const pages = pagesOf(me);
  return (
    <aside className={style.side}>
      <div className={style.brand}>
        <img src="/favicon.svg" alt="" width="24" height="24" />
        <span className={style.names}>
          <strong>Lamella</strong>
          <TenantName />
        </span>
      </div>
      <button type="button" className={style.find} onClick={openCommandPalette} title={`Command palette (${isApple ? "⌘" : "Ctrl"} K)`} data-testid="find">
        <Search size={14} aria-hidden="true" />
        <span className={style.text}>Go to …</span>
        <kbd className={style.text}>{isApple ? "⌘ K" : "Ctrl K"}</kbd>
      </button>
      <nav aria-label="Pages" className={style.nav}>
        {pages.filter(({ group }) => group === undefined).map((page) => (
          <Entry key={page.to} {...page} />
        ))}
        <h2 className={style.group}>Settings</h2>
        {pages.filter(({ group }) => group === "Settings").map((page) => (
          <Entry key={page.to} {...page} />
        ))}
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

function Entry({ to, icon: Icon, label, badge }: ListedPage) {
  const { tenant } = useSession();
  return (
    <Link to={to} params={{ tenant }} search={keepRange as never} className={style.entry} activeOptions={{ includeSearch: false }} title={label}>
      <Icon size={16} aria-hidden="true" />
      <span className={style.text}>{label}</span>
      {badge !== undefined && <span className={style.badge}>{badge}</span>}
    </Link>
  );
}
