// The strip on top of every page: what the page is, how far its data reaches, and for pages over time the range.
import { RotateCw } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { TimeRangePicker } from "./time-range-picker.tsx";
import control from "../parts/control.module.css";
import { DataExtent } from "../parts/data-extent.tsx";
import style from "./page-header.module.css";

export type PageHeaderProps = {
  readonly title: string;
  readonly before?: ReactNode;
  readonly ingestedThrough?: string | null | undefined;
  readonly ranged?: boolean;
  readonly refresh?: () => void;
  readonly refreshing?: boolean;
};

export function PageHeader({ title, before, ingestedThrough, ranged = false, refresh, refreshing = false }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Lamella`;
  }, [title]);
  return (
    <header className={style.header}>
      {before}
      <h1 className={style.title} title={title}>
        {title}
      </h1>
      <DataExtent ingestedThrough={ingestedThrough} />
      <span className={style.gap} />
      {ranged && <TimeRangePicker />}
      {refresh !== undefined && (
        <button type="button" className={`${control.button} ${control.icon}`} aria-label="Refresh" title="Refresh" onClick={refresh}>
          <RotateCw size={14} className={refreshing ? style.turning : undefined} />
        </button>
      )}
    </header>
  );
}
