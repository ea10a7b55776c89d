// The keys of the page that work wherever the focus is, but not while something is typed or a dialog is open.
import { useEffect } from "react";
import { isTyping } from "../../parts/is-typing.ts";

export function useFlamegraphKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const run = keys[event.key];
      if (run === undefined) return;
      run();
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [keys]);
}
