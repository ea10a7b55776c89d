// What the sections of the details pane are made of: a section, a figure with its label, a path that leads to its module.
import type { ReactNode } from "react";
import { printable } from "#core/printable.ts";
import style from "./module-details.module.css";

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

export function Fact({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function PathButton({ path, reveal, module = path }: { readonly path: string; readonly reveal: (path: string) => void; readonly module?: string }) {
  return (
    <button type="button" className={style.reveal} title={`Show ${printable(module)} in the graph`} onClick={() => reveal(module)}>
      {printable(path)}
    </button>
  );
}
