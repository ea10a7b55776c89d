// What the palette can do besides going to a thing: pages, the time range, the theme, links, another tenant.
import { useNavigate } from "@tanstack/react-router";
import { CalendarClock, FolderOpen, Keyboard, Link2, Moon, Monitor, RotateCw, Sun, Users } from "lucide-react";
import { useMemo, useState } from "react";
import { printable } from "#core/printable.ts";
import { presets, rangeLabel } from "../../parts/time-range.ts";
import { openFilePicker } from "../drop-zone.tsx";
import { currentPage } from "../current-page.ts";
import { keepRange } from "../keep-range.ts";
import { openKeyboardSheet } from "../keyboard-sheet.tsx";
import { pagesOf } from "../page-list.ts";
import { useSession } from "../session.tsx";
import { useTheme, type ThemeChoice } from "../theme.tsx";
import { useCopyLink } from "../use-copy-link.ts";
import { useSwitchTenant } from "../use-switch-tenant.ts";
import type { Choice } from "./choice.ts";

const themes = [["light", "Light theme", Sun], ["dark", "Dark theme", Moon], ["system", "Theme as the system", Monitor]] as const satisfies readonly (readonly [ThemeChoice, string, typeof Sun])[];

// `typed`: a distance such as "3h" is a time range of its own.
export function useActions(typed: string): Choice[] {
  const { tenant, me } = useSession();
  const theme = useTheme();
  const copyLink = useCopyLink();
  const switchTenant = useSwitchTenant();
  const navigate = useNavigate();
  const [page] = useState(currentPage); // the palette is made anew whenever it opens
  const distance = /^\s*-?(\d{1,6})\s*([smhdw])\s*$/.exec(typed);
  const ownRange = distance === null ? null : `-${distance[1]}${distance[2]}`;
  return useMemo(() => {
    const { ranged, refresh } = page;
    const pages: Choice[] = pagesOf(me).map(({ to, label, group, icon, key }) => ({
      id: `page ${to}`, kind: "Page", text: group === undefined ? label : `${group}: ${label}`, icon,
      ...(key === undefined ? {} : { keys: `g ${key}` }),
      run: () => void navigate({ to, params: { tenant }, search: keepRange as never }),
    }));
    const actions: Choice[] = [
      { id: "copy link", kind: "Action", text: "Copy link to this view", icon: Link2, run: copyLink },
      ...(refresh === undefined ? [] : [{ id: "refresh", kind: "Action", text: "Refresh this page", icon: RotateCw, run: refresh } as const]),
      { id: "open file", kind: "Action", text: "Open a file…", icon: FolderOpen, run: openFilePicker },
      ...themes.filter(([choice]) => choice !== theme.choice).map(([choice, text, icon]): Choice => ({ id: `theme ${choice}`, kind: "Action", text, icon, run: () => theme.choose(choice) })),
      { id: "keyboard", kind: "Action", text: "Keyboard sheet", keys: "?", icon: Keyboard, run: openKeyboardSheet },
    ];
    const setRange = (from: string) => void navigate({ to: ".", search: ((old: Record<string, unknown>) => ({ ...old, from, to: undefined })) as never });
    const wanted = ownRange === null || presets.some(({ from }) => from === ownRange) ? [] : [{ from: ownRange, label: rangeLabel({ from: ownRange, to: "now" }, String) }];
    const ranges: Choice[] = ranged
      ? [...presets, ...wanted].map(({ from, label }) => ({ id: `range ${from}`, kind: "Time range", text: label, beside: from.slice(1), icon: CalendarClock, run: () => setRange(from) }))
      : [];
    const tenants: Choice[] = me.tenants
      .filter(({ slug }) => slug !== tenant)
      .map(({ slug, name }) => ({ id: `tenant ${slug}`, kind: "Tenant", text: `Switch to ${printable(name)}`, beside: slug === name ? "" : slug, icon: Users, run: () => switchTenant(slug) }));
    return [...pages, ...actions, ...ranges, ...tenants];
  }, [me, tenant, theme, copyLink, switchTenant, navigate, ownRange, page]);
}
