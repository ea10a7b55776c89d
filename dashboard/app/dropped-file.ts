// The file that was dropped on the window or chosen, for the page that shows it. It stays in this window: an address cannot carry it.
let file: File | null = null;
const listeners = new Set<() => void>();

export function setDroppedFile(next: File): void {
  file = next;
  for (const listener of listeners) listener();
}

export function droppedFile(): File | null {
  return file;
}

export function onDroppedFile(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
