// A file being read: how far, and the way to stop it.
import { formatBytes } from "../../parts/number-format.ts";
import control from "../../parts/control.module.css";
import { stopReading, type FileState } from "./opened-file.ts";
import style from "./file-page.module.css";

export function ReadingFile({ state: { file, bytes, pass } }: { readonly state: FileState & { readonly phase: "reading" } }) {
  return (
    <div className={style.reading} data-testid="file-reading">
      <label htmlFor="file-progress">
        Reading{pass > 2 && ", a second time: it is large"} · {formatBytes(bytes).text} of {formatBytes(file.size).text}
      </label>
      <progress id="file-progress" className={style.progress} max={Math.max(1, file.size)} value={bytes} />
      <button type="button" className={control.button} onClick={stopReading} data-testid="file-stop">
        Stop
      </button>
    </div>
  );
}
