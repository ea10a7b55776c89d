// A modal on the platform's own <dialog>: focus stays inside, Escape and a click on the backdrop close it, focus returns where it was.
import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import control from "./control.module.css";
import style from "./dialog.module.css";

export function Dialog({
  title,
  close,
  children,
  testId,
}: {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly testId?: string;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed before it leaves the page: only then does the focus go back to where it was.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={style.dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
      data-testid={testId}
    >
      <div className={style.inner}>
        <header className={style.head}>
          <h2 id={heading}>{title}</h2>
          <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close" onClick={close}>
            <X size={15} />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
