// A column of a module tree: its heading, what it shows of a node, and what a file of the tree holds.
import type { ReactNode } from "react";

export type TreeColumn<Node> = {
  readonly name: string;
  readonly label: string;
  readonly title?: string; // what it means, on hover
  readonly width: number; // CSS px
  readonly show: (node: Node, at: number) => ReactNode;
  readonly value: (node: Node, at: number) => number | string | null;
  readonly csvName?: string;
};
