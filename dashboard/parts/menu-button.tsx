// A button that opens a menu below itself.
import { useRef, useState, type ReactNode } from "react";
import control from "./control.module.css";
import { Menu, type MenuItem } from "./menu.tsx";
import type { MenuAnchor } from "./place-menu.ts";

export function MenuButton({
  label,
  groups,
  children,
  className = control.button,
  title,
  testId,
}: {
  readonly label: string; // of the menu and, where the button shows no text, of the button
  readonly groups: readonly (readonly MenuItem[])[];
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
  readonly testId?: string | undefined;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<MenuAnchor | null>(null);
  const open = () => {
    const box = button.current?.getBoundingClientRect();
    if (box !== undefined) setAt({ left: box.left, top: box.top - 4, bottom: box.bottom + 4 });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        aria-label={label}
        title={title ?? label}
        data-testid={testId}
        onClick={(event) => {
          event.stopPropagation();
          open();
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          event.stopPropagation();
          open();
        }}
      >
        {children}
      </button>
      {at !== null && <Menu label={label} groups={groups} at={at} close={() => setAt(null)} />}
    </>
  );
}
