// A column of a table: its heading, and what it shows of a row.
import type { ReactNode } from "react";
import type { SortableColumn } from "./table-sort.ts";

export type TableColumn = SortableColumn & {
  readonly label: string;
  readonly unit?: string; // in the heading
  readonly title?: string; // what the column means, on hover
  readonly width: number; // CSS px, at least
  readonly show: (row: number) => ReactNode;
  readonly bar?: { readonly colour: string; readonly share: (row: number) => number }; // 0…1 of the cell's width
};
