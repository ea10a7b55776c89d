// The `?` sheet: every key of the pages, in one place.
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { useGoKeys } from "./go-keys.ts";
import { keepRange } from "./keep-range.ts";
import { pagesOf } from "./page-list.ts";
import { useSession } from "./session.tsx";
import style from "./keyboard-sheet.module.css";

const groups = [
  {
    title: "Everywhere",
    keys: [
      ["?", "This sheet"],
      ["Ctrl K", "Command palette: pages, models, executions, workloads, actions (⌘ K on a Mac)"],
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
      ["r", "Collapse recursion, or show it"],
      ["p", "The model beside the drawing: open or closed"],
      ["c", "Copy the selected frame's name"],
      ["Shift+C", "Copy the selected frame's stack"],
      ["Menu Shift+F10", "The selected frame's menu, as with a right click"],
      ["Wheel", "Scroll; with Shift sideways, with Ctrl or ⌘ zoom at the pointer"],
      ["Click", "Focus a frame; on empty ground show everything"],
      ["Drag", "Pan"],
    ],
  },
  {
    title: "A workload",
    keys: [
      ["↑ ↓ ← →", "On a scatter: the next point in that direction"],
      ["b", "On a scatter: one corner of a rectangle, then the other"],
      ["↑ ↓", "In the Gantt and the table: the next request"],
      ["← →", "In the Gantt: earlier and later"],
      ["+ −", "In the Gantt: a shorter and a longer time"],
      ["0", "In the Gantt: follow the rows in sight"],
      ["Escape", "Drop the rectangle, then the selected request"],
      ["Drag", "On a scatter: show only the requests inside; above the Gantt: show this time"],
    ],
  },
  {
    title: "Engine metrics",
    keys: [
      ["← →", "The step before and after, in all panels"],
      ["Enter", "The profile of that step"],
      ["Drag", "A shorter range"],
    ],
  },
  {
    title: "Module graph and list",
    keys: [
      ["↑ ↓", "Previous and next module"],
      ["→ ←", "Open and close, or go to the parent"],
      ["Home End", "First and last module"],
      ["*", "Open all siblings"],
      ["/", "Search; Enter and Shift+Enter go through the matches"],
      ["e", "Expand every section"],
      ["f", "Fit the selected module to the view"],
      ["0", "Fit the graph to the view"],
      ["+ −", "Zoom in and out"],
      ["r", "Reset the view"],
      ["Ctrl+C", "Copy the module's path"],
      ["Shift+F10", "Menu of the module: unfold, analyze, copy"],
      ["Escape", "Let go of the spotlight, then of the selection"],
      ["Wheel", "Scroll; with Shift sideways, with Ctrl or ⌘ zoom at the pointer"],
    ],
  },
  {
    title: "Layers of an execution",
    keys: [
      ["↑ ↓ ← →", "In the map: another module, another layer"],
      ["← → Home End", "In a bar chart: another layer"],
      ["Enter", "In a bar chart: open the layer"],
      ["Escape", "In the map: close the layer"],
    ],
  },
] as const;

const openEvent = "lamella:keyboard-sheet";
export function openKeyboardSheet(): void {
  dispatchEvent(new Event(openEvent));
}

export function KeyboardSheet() {
  const { tenant, me } = useSession();
  const [open, setOpen] = useState(false);
  const pages = useMemo(() => pagesOf(me), [me]);
  const navigate = useNavigate();
  useGoKeys(
    pages,
    useCallback((page) => void navigate({ to: page.to, params: { tenant }, search: keepRange as never }), [navigate, tenant]),
  );
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "?" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented && !isTyping(event.target)) setOpen(true);
    };
    const show = () => setOpen(true);
    addEventListener("keydown", pressed);
    addEventListener(openEvent, show);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener(openEvent, show);
    };
  }, []);
  if (!open) return null;
  const goKeys = pages.flatMap(({ key, label }) => (key === undefined ? [] : [[`g ${key}`, `Go to ${label}`] as const]));
  return (
    <Dialog title="Keyboard" close={() => setOpen(false)} testId="keyboard-sheet">
      {groups.map((group) => (
        <section key={group.title} className={style.group}>
          <h3>{group.title}</h3>
          <dl>
            {[...group.keys, ...(group.title === "Everywhere" ? goKeys : [])].map(([keys, what]) => (
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
