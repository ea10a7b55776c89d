// Lines to copy into a terminal or a file. They scroll sideways rather than wrap: a wrapped line looks like two.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import control from "./control.module.css";
import style from "./code-lines.module.css";

const saidMs = 2_000;

export function CodeLines({ label, lines, testId }: { readonly label: string; readonly lines: string; readonly testId?: string }) {
  const [said, setSaid] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    void navigator.clipboard.writeText(lines).then(
      () => setSaid("copied"),
      () => setSaid("refused"),
    );
  return (
    <div className={style.block}>
      <pre className={style.lines} tabIndex={0} role="region" aria-label={label} data-testid={testId}>
        <code>{lines}</code>
      </pre>
      <button type="button" className={`${control.button} ${style.copy}`} aria-label={`Copy: ${label}`} onClick={copy}>
        {said === "copied" ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
        <span role="status">{said === "copied" ? "Copied" : said === "refused" ? "Not allowed" : "Copy"}</span>
      </button>
    </div>
  );
}
