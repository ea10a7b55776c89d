// Copies a link to what is on screen, and says what became of it.
import { useCallback } from "react";
import { currentPage } from "./current-page.ts";
import { useToast } from "./toasts.tsx";
import { viewLink } from "./view-link.ts";

export function useCopyLink(): () => void {
  const toast = useToast();
  return useCallback(() => {
    const { ranged, linkSearch, linkNote } = currentPage();
    const { url, pinned } = viewLink(location.href, ranged, Math.floor(Date.now() / 1_000), linkSearch?.());
    void navigator.clipboard.writeText(url).then(
      () => toast({ text: ["Copied a link to this view.", pinned ? "Its time range is fixed to what it is now." : "", linkNote ?? ""].filter((sentence) => sentence !== "").join(" ") }),
      () => toast({ text: "The browser did not allow copying; the address bar has the link", tone: "danger" }),
    );
  }, [toast]);
}
