// A popup menu, opened at a point or below a button: arrows, Home, End and the first letters move, Enter runs, Escape, Tab and a click beside it close.
// Focus is inside while it is open and goes back to where it was; what is below neither sees the keys nor the click that closes it.
import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from "react";
import { placeMenu, type MenuAnchor } from "./place-menu.ts";
import style from "./menu.module.css";

export type MenuItem = {
  readonly label: string;
  readonly run: () => void;
  readonly keys?: string | undefined; // the key that does the same without the menu
  readonly unless?: string | undefined; // why it cannot be done now; "" or absent: it can
  readonly testId?: string | undefined;
};
export type MenuProps = {
  readonly label: string; // its name, spoken
  readonly heading?: string | undefined; // what it is the menu of, shown
  readonly groups: readonly (readonly MenuItem[])[]; // divided by lines; empty ones are left out
  readonly at: MenuAnchor;
  readonly close: () => void;
  readonly testId?: string | undefined;
};

const typingMs = 700; // letters closer than this are one word

export function Menu({ label, heading, groups, at, close, testId }: MenuProps) {
  const ground = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  const typed = useRef({ text: "", at: Number.NEGATIVE_INFINITY });
  const items = () => Array.from(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []);

  // Once: a menu that is drawn anew keeps its focus where it is.
  useLayoutEffect(() => {
    before.current = document.activeElement;
    ground.current?.showPopover();
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [menu]);
  useEffect(() => {
    addEventListener("resize", close);
    return () => removeEventListener("resize", close);
  }, [close]);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const { left, top } = placeMenu(at, { width: element.offsetWidth, height: element.offsetHeight }, { width: innerWidth, height: innerHeight });
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
  }, [menu, at]);

  const leave = () => {
    if (before.current instanceof HTMLElement) before.current.focus();
    close();
  };
  const run = (item: MenuItem) => {
    if ((item.unless ?? "") !== "") return;
    leave();
    item.run();
  };
  const keyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = items();
    const here = all.indexOf(document.activeElement as HTMLElement);
    const go = (to: number) => all[(to + all.length) % all.length]?.focus();
    if (event.key === "ArrowDown") go(here + 1);
    else if (event.key === "ArrowUp") go(here < 0 ? -1 : here - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else if (event.key === "Escape" || event.key === "Tab") leave();
    else if (event.key === "Enter" || (event.key === " " && typed.current.text === "")) return; // the button's own click
    else if (event.key.length === 1) {
      const word = event.timeStamp - typed.current.at < typingMs ? typed.current.text + event.key.toLowerCase() : event.key.toLowerCase();
      typed.current = { text: word, at: event.timeStamp };
      // The same letter again goes on to the next item that begins with it.
      const wanted = [...word].every((letter) => letter === word[0]) ? word.slice(0, 1) : word;
      const order = [...all.slice(here + (wanted.length === 1 ? 1 : 0)), ...all];
      order.find((item) => item.textContent.trim().toLowerCase().startsWith(wanted))?.focus();
    } else return;
    if (event.key.length > 1) typed.current = { text: "", at: Number.NEGATIVE_INFINITY };
    event.preventDefault();
  };
  return (
    <div
      ref={ground}
      popover="manual"
      className={style.ground}
      onPointerDown={(event) => {
        event.stopPropagation();
        if (event.target !== ground.current) return;
        event.preventDefault();
        leave();
      }}
      onClick={(event) => event.stopPropagation()}
      onContextMenu={(event) => {
        event.stopPropagation();
        event.preventDefault();
      }}
      onKeyDown={keyDown}
    >
      <div ref={menu} role="menu" aria-label={label} className={style.menu} data-testid={testId}>
        {heading !== undefined && (
          <p className={style.heading} role="presentation" title={heading}>
            {heading}
          </p>
        )}
        {groups
          .filter((group) => group.length > 0)
          .map((group, at) => (
            <div key={at} role="group" className={style.group}>
              {group.map((item) => (
                <Row key={item.label} item={item} run={() => run(item)} />
              ))}
            </div>
          ))}
      </div>
    </div>
  );
}

function Row({ item, run }: { readonly item: MenuItem; readonly run: () => void }) {
  const off = (item.unless ?? "") !== "";
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={style.item}
      aria-disabled={off}
      title={off ? item.unless : undefined}
      onClick={run}
      onPointerMove={(event) => event.currentTarget.focus()}
      data-testid={item.testId}
    >
      <span>{item.label}</span>
      {item.keys !== undefined && <kbd aria-hidden="true">{item.keys}</kbd>}
    </button>
  );
}
