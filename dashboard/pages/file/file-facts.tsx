// What the open file is, that it is nowhere stored, how to store it, and what its reader found and missed.
import { printable } from "#core/printable.ts";
import { shellWord } from "#core/setup/shell-word.ts";
import { CodeLines } from "../../parts/code-lines.tsx";
import { formatBytes } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { OpenedFile } from "./file-messages.ts";
import type { FileState } from "./opened-file.ts";
import style from "./file-page.module.css";

const kinds = { trace: "a profile", benchmark: "a benchmark's result", metrics: "engine metrics" } as const satisfies Record<OpenedFile["kind"], string>;

export function FileFacts({ state: { file, opened, cutShort } }: { readonly state: FileState & { readonly phase: "open" } }) {
  const notes = opened.kind === "trace" ? opened.report : opened.kind === "metrics" ? opened.notes : [];
  return (
    <section className={style.facts} aria-label="The file" data-testid="file-facts" data-kind={opened.kind}>
      <p>
        <Quantity value={formatBytes(file.size)} />, {opened.kind === "metrics" ? `${kinds.metrics} (${opened.what}, ${opened.readings === 1 ? "one reading" : `${opened.readings} readings`})` : kinds[opened.kind]}. Read in
        this browser, stored nowhere: closing the window forgets it.
      </p>
      {cutShort && (
        <p className={style.warning} role="note">
          The file's gzip breaks off, or more follows it: what is shown is what came before.
        </p>
      )}
      <details>
        <summary>Store it</summary>
        <CodeLines label="Store the file" lines={`npx lamella ${opened.kind === "metrics" ? "metrics import" : "import"} ${shellWord(printable(file.name).replace(/^-/, "./-"))}`} />
      </details>
      {notes.length > 0 && (
        <details data-testid="file-report">
          <summary>{opened.kind === "trace" ? "Import report" : "Notes"}</summary>
          <ul className={style.report}>
            {notes.map((line) => (
              <li key={line}>{printable(line)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
