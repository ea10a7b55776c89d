// Said where a link names a module that this execution does not have.
import { printable } from "#core/printable.ts";
import style from "./profiler-view.module.css";

export function NoSuchModule({ path }: { readonly path: string }) {
  return (
    <p className={style.note} role="note" data-testid="no-such-module">
      The execution has no module <code>{printable(path)}</code>.
    </p>
  );
}
