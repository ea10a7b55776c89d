// Ctrl+K (⌘K): one box that finds pages, models, executions, workloads and actions. The keyboard stays in the box; what was used lately comes first.
import { Search } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useSession } from "../session.tsx";
import type { Choice } from "./choice.ts";
import { ChoiceList, optionId } from "./choice-list.tsx";
import { foundMax, groupChoices } from "./group-choices.ts";
import { noteChosen, recentIds } from "./recent-choices.ts";
import { useActions } from "./use-actions.ts";
import { useThings } from "./use-things.ts";
import style from "./command-palette.module.css";

const openEvent = "lamella:command-palette";
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function openCommandPalette(): void {
  dispatchEvent(new Event(openEvent));
}

export function CommandPalette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.shiftKey || event.altKey || !(isApple ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault(); // also where the browser has its own use for it
      setOpen((shown) => !shown && document.querySelector("dialog[open]") === null);
    };
    const show = () => setOpen(true);
    addEventListener("keydown", pressed);
    addEventListener(openEvent, show);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener(openEvent, show);
    };
  }, []);
  return open ? <Palette close={() => setOpen(false)} /> : null;
}

function Palette({ close }: { readonly close: () => void }) {
  const { tenant } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [recent] = useState(() => recentIds(tenant));
  const actions = useActions(typed);
  const things = useThings();
  const groups = useMemo(() => groupChoices([...actions, ...things.choices], typed, recent), [actions, things.choices, typed, recent]);
  const flat = useMemo(() => groups.flatMap(({ choices }) => choices), [groups]);
  const chosen = Math.min(at, flat.length - 1);
  // Closed before it leaves the page: only then does the focus go back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const run = (choice: Choice) => {
    noteChosen(tenant, choice.id);
    dialog.current?.close(); // before the action: it may open a dialog of its own
    close();
    choice.run();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") setAt((chosen + (event.key === "ArrowDown" ? 1 : -1) + flat.length) % Math.max(1, flat.length));
    else if (event.key === "PageDown" || event.key === "PageUp") setAt(Math.min(flat.length - 1, Math.max(0, chosen + (event.key === "PageDown" ? 8 : -8))));
    else if (event.key === "Enter" && flat[chosen] !== undefined) run(flat[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className={style.dialog}
      aria-label="Command palette"
      data-testid="palette"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div className={style.box}>
        <Search size={15} aria-hidden="true" />
        <input
          className={style.input}
          role="combobox"
          aria-label="Find a page, model, execution, workload or action"
          aria-autocomplete="list"
          aria-expanded={flat.length > 0}
          aria-controls={flat.length > 0 ? "palette-list" : undefined}
          aria-activedescendant={flat.length > 0 ? optionId(chosen) : undefined}
          placeholder="Go to, or do …"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={keyDown}
          data-testid="palette-input"
        />
        <kbd>Esc</kbd>
      </div>
      {flat.length > 0 && <ChoiceList groups={groups} chosen={chosen} run={run} />}
      <p className={style.foot} role="status" data-testid="palette-status">
        {statusText(flat.length, actions.length + things.choices.length, typed.trim(), things)}
      </p>
    </dialog>
  );
}

function statusText(found: number, all: number, typed: string, { loading, failed, more }: Omit<ReturnType<typeof useThings>, "choices">): string {
  const told = [
    found === 0 && !loading ? `Nothing here fits “${typed}”.` : typed === "" ? (found < all ? "The first of each kind; type to find the others." : "") : found === foundMax ? `The best ${found} choices; type more to find others.` : `${found} ${found === 1 ? "choice" : "choices"}.`,
    loading ? "Models, executions and workloads are being loaded." : "",
    failed.length > 0 ? `The ${failed.join(" and ")} could not be loaded.` : "",
    more.length > 0 ? `Of ${more.join(" and ")} the latest are here; their pages list all.` : "",
  ];
  return told.filter((text) => text !== "").join(" ");
}
