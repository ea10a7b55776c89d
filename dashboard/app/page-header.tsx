// The strip on top of every page: what the page is, how far its data reaches, and for pages over time the range.
import { Link2, RotateCw } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { setCurrentPage } from "./current-page.ts";
import { TimeRangePicker } from "./time-range-picker.tsx";
import { useCopyLink } from "./use-copy-link.ts";
import control from "../parts/control.module.css";
import { DataExtent } from "../parts/data-extent.tsx";
import type { TimeRange } from "../parts/time-range.ts";
import style from "./page-header.module.css";

export type PageHeaderProps = {
  readonly title: string;
  readonly before?: ReactNode;
  readonly ingestedThrough?: string | null | undefined;
  readonly ranged?: boolean | TimeRange; // the range when the URL names none, where it is not the last day
  readonly refresh?: () => void;
  readonly refreshing?: boolean;
  readonly linkSearch?: () => Readonly<Record<string, string | undefined>>; // what only a copied link says, such as where a drawing is scrolled to
  readonly linkNote?: string; // what a copied link does not carry
};

export function PageHeader({ title, before, ingestedThrough, ranged = false, refresh, refreshing = false, linkSearch, linkNote }: PageHeaderProps) {
  const copyLink = useCopyLink();
  useEffect(() => {
    document.title = `${title} · Lamella`;
  }, [title]);
  useEffect(() => setCurrentPage({ title, ranged, refresh, linkSearch, linkNote }));
  return (
    <header className={style.header}>
      {before}
      <h1 className={style.title} title={title}>
        {title}
      </h1>
      <DataExtent ingestedThrough={ingestedThrough} />
      <span className={style.gap} />
      {ranged !== false && <TimeRangePicker usual={ranged === true ? undefined : ranged} />}
      <button type="button" className={`${control.button} ${control.icon}`} aria-label="Copy link to this view" title="Copy link to this view" onClick={copyLink} data-testid="copy-link">
        <Link2 size={14} />
      </button>
      {refresh !== undefined && (
        <button type="button" className={`${control.button} ${control.icon}`} aria-label="Refresh" title="Refresh" onClick={refresh}>
          <RotateCw size={14} className={refreshing ? style.turning : undefined} />
        </button>
      )}
    </header>
  );
}
