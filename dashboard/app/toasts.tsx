// Short messages after an action, with an undo where there is one. They wait while the pointer or the focus is on them.
import { X } from "lucide-react";
import { createContext, use, useCallback, useEffect, useState, type ReactNode } from "react";
import control from "../parts/control.module.css";
import style from "./toasts.module.css";

export type Toast = {
  readonly text: string;
  readonly tone?: "plain" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
};
type Shown = Toast & { readonly id: number };

const shownMs = 8_000;
const ToastContext = createContext<(toast: Toast) => void>(() => undefined);
let nextId = 1;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const show = useCallback((toast: Toast) => setToasts((all) => [...all.slice(-3), { ...toast, id: nextId++ }]), []);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  return (
    <ToastContext value={show}>
      {children}
      <div className={style.region} role="status" aria-live="polite" aria-atomic="false" data-testid="toasts">
        {toasts.map((toast) => (
          <ToastLine key={toast.id} toast={toast} close={close} />
        ))}
      </div>
    </ToastContext>
  );
}

export function useToast(): (toast: Toast) => void {
  return use(ToastContext);
}

function ToastLine({ toast, close }: { readonly toast: Shown; readonly close: (id: number) => void }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => close(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [held, close, toast.id]);
  return (
    <div
      className={style.toast}
      data-tone={toast.tone ?? "plain"}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {toast.action !== undefined && (
        <button
          type="button"
          className={control.button}
          onClick={() => {
            toast.action?.run();
            close(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Dismiss" onClick={() => close(toast.id)}>
        <X size={14} />
      </button>
    </div>
  );
}
