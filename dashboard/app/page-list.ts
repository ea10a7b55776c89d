// The pages of a tenant, in the order of the sidebar. The sidebar, the command palette and the `g` keys all read this one list.
import { Activity, Boxes, ChartLine, Flame, FolderOpen, Gauge, KeyRound, Layers, Plug, ToggleRight, type LucideIcon } from "lucide-react";
import type { Me } from "#schema/api/tenant.ts";

type PageEntry = {
  readonly to: `/t/$tenant/${string}`;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly group?: "Settings";
  readonly badge?: string;
  readonly key?: string; // "f": typed after g
  readonly shown?: (me: Me) => boolean;
};

export const pageList = [
  { to: "/t/$tenant/flamegraph", label: "Flamegraph", icon: Flame, key: "f" },
  { to: "/t/$tenant/models", label: "Models", icon: Boxes, key: "m", badge: "Beta", shown: (me) => me.flags.models === true },
  { to: "/t/$tenant/executions", label: "Executions", icon: Layers, key: "e" },
  { to: "/t/$tenant/workloads", label: "Workloads", icon: Gauge, key: "w" },
  { to: "/t/$tenant/metrics", label: "Engine metrics", icon: ChartLine, key: "i" },
  { to: "/t/$tenant/status", label: "Status", icon: Activity, key: "s" },
  { to: "/t/$tenant/setup", label: "Set up", icon: Plug, key: "u" },
  { to: "/t/$tenant/file", label: "Open a file", icon: FolderOpen, key: "o" },
  { to: "/t/$tenant/settings/flags", label: "Feature flags", icon: ToggleRight, group: "Settings" },
  { to: "/t/$tenant/settings/tokens", label: "Tokens", icon: KeyRound, group: "Settings", shown: (me) => me.scopes.includes("admin") },
] as const satisfies readonly PageEntry[];

export type ListedPage = PageEntry & { readonly to: (typeof pageList)[number]["to"] };

export function pagesOf(me: Me): readonly ListedPage[] {
  return (pageList as readonly ListedPage[]).filter(({ shown }) => shown === undefined || shown(me));
}
