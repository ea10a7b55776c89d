// True while the user types into something, or looks for an item of a menu by its letters, so that a letter is a letter and no command.
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select") || target.closest("[role=menu]") !== null);
}
