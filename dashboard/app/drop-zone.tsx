// A file dropped anywhere on the window, or chosen with the picker, is opened in this browser. It is read here and sent nowhere.
import { useLocation, useNavigate } from "@tanstack/react-router";
import { FileDown } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { setDroppedFile } from "./dropped-file.ts";
import { keepRange } from "./keep-range.ts";
import { useSession } from "./session.tsx";
import { useToast } from "./toasts.tsx";
import style from "./drop-zone.module.css";

const pickEvent = "lamella:open-file";
export function openFilePicker(): void {
  dispatchEvent(new Event(pickEvent));
}

export function DropZone() {
  const { tenant } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const onFilePage = useLocation({ select: ({ pathname }) => pathname.endsWith("/file") });
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const open = useCallback(
    (files: FileList | null) => {
      const file = files?.[0];
      if (file === undefined) return;
      if (files!.length > 1) toast({ text: `Opened ${file.name}. One file at a time: ${files!.length - 1} more were left.` });
      setDroppedFile(file);
      // The same file again keeps how it was looked at; another one is looked at anew.
      const search = (old: Record<string, unknown>) => (onFilePage && old.name === file.name ? old : { ...keepRange(old), name: file.name });
      void navigate({ to: "/t/$tenant/file", params: { tenant }, search: search as never });
    },
    [navigate, tenant, toast, onFilePage],
  );
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false); // out of the window, not into another element
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault(); // or the browser would leave for the file
      open(event.dataTransfer!.files);
    };
    const pick = () => picker.current?.click();
    addEventListener("dragenter", drag);
    addEventListener("dragover", drag);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener(pickEvent, pick);
    return () => {
      removeEventListener("dragenter", drag);
      removeEventListener("dragover", drag);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener(pickEvent, pick);
    };
  }, [open]);
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        data-testid="file-picker"
        onChange={(event) => {
          open(event.target.files);
          event.target.value = ""; // the same file again is a choice, too
        }}
      />
      {over && (
        <div className={style.over} data-testid="drop-zone">
          <p>
            <FileDown size={20} aria-hidden="true" />
            Drop the file to open it here. It is read in this browser and sent nowhere.
          </p>
        </div>
      )}
    </>
  );
}
