// The `?` sheet: every key of the pages, in one place.
import { useEffect, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { isTyping } from "../parts/is-typing.ts";
import style from "./keyboard-sheet.module.css";

const groups = [
  {
    title: "Everywhere",
    keys: [
      ["?", "This sheet"],
      ["g f", "Go to the flamegraph"],
      ["g m", "Go to the models"],
      ["g s", "Go to the status"],
    ],
  },
  {
    title: "Flamegraph",
    keys: [
      ["↑ ↓ ← →", "Move the selection: caller, heaviest callee, siblings"],
      ["Enter", "Focus the selected frame"],
      ["Escape", "Back to the frame above; from the top, clear the selection"],
      ["0", "Show everything"],
      ["+ −", "Zoom in and out"],
      ["/", "Search"],
      ["n N", "Next and previous match"],
      ["m", "Show or hide Model Layer frames"],
      ["f", "Fold the layers of all blocks into one, or unfold them"],
      ["i", "Root first or leaf first"],
      ["t", "The graph, or a table of what the time goes to"],
      ["s", "What calls the selected frame, what it calls, and back"],
      ["c", "Copy the selected frame's name"],
      ["Wheel", "Scroll; with Shift sideways, with Ctrl or ⌘ zoom at the pointer"],
      ["Click", "Focus a frame; on empty ground show everything"],
      ["Drag", "Pan"],
    ],
  },
  {
    title: "Module tree",
    keys: [
      ["↑ ↓", "Previous and next module"],
      ["→ ←", "Open and close, or go to the parent"],
      ["Home End", "First and last module"],
      ["*", "Open all siblings"],
    ],
  },
] as const;

const openEvent = "lamella:keyboard-sheet";
export function openKeyboardSheet(): void {
  dispatchEvent(new Event(openEvent));
}

export function KeyboardSheet({ go }: { readonly go: (page: "flamegraph" | "models" | "status") => void }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    let after = Number.NEGATIVE_INFINITY; // when "g" was pressed, in the time of events
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      if (event.key === "?") setOpen(true);
      const page = ({ f: "flamegraph", m: "models", s: "status" } as const)[event.key];
      if (page !== undefined && event.timeStamp - after < 1_000) {
        event.preventDefault();
        event.stopPropagation();
        go(page);
      }
      after = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    const show = () => setOpen(true);
    addEventListener("keydown", pressed, { capture: true });
    addEventListener(openEvent, show);
    return () => {
      removeEventListener("keydown", pressed, { capture: true });
      removeEventListener(openEvent, show);
    };
  }, [go]);
  if (!open) return null;
  return (
    <Dialog title="Keyboard" close={() => setOpen(false)} testId="keyboard-sheet">
      {groups.map((group) => (
        <section key={group.title} className={style.group}>
          <h3>{group.title}</h3>
          <dl>
            {group.keys.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
