// No file is open: what can be opened, and where one was refused, why.
import { FolderOpen } from "lucide-react";
import { printable } from "#core/printable.ts";
import { openFilePicker } from "../../app/drop-zone.tsx";
import control from "../../parts/control.module.css";
import { Empty } from "../../parts/states.tsx";
import type { Refused } from "./file-messages.ts";
import style from "./file-page.module.css";

type NoFileProps = { readonly name: string | undefined; readonly refused?: Refused; readonly file?: File };

export function NoFile({ name, refused, file }: NoFileProps) {
  const title = refused !== undefined ? `${printable(file?.name ?? "The file")} cannot be opened` : name === undefined ? "Drop a file on this window" : `Drop ${printable(name)} again`;
  return (
    <Empty title={title} testId={refused === undefined ? "no-file" : "file-refused"}>
      {refused !== undefined && (
        <p role="alert">
          {printable(refused.reason)}.{refused.instead !== "" && ` ${refused.instead}.`}
        </p>
      )}
      {refused === undefined && name !== undefined && <p>This address says how the file was looked at. The file itself was only in the window that opened it.</p>}
      <p>It is read in this browser and sent nowhere.</p>
      <button type="button" className={`${control.button} ${control.primary}`} onClick={openFilePicker} data-testid="choose-file">
        <FolderOpen size={14} aria-hidden="true" />
        Choose a file …
      </button>
      <dl className={style.accepted}>
        <dt>Profiles, as a flamegraph</dt>
        <dd>torch.profiler and other Chrome traces, pprof, folded stacks, OTLP profiles, speedscope, rocprofv3 JSON, model_execution.json; also gzipped</dd>
        <dt>Results of serving benchmarks, as a run</dt>
        <dd>vLLM, SGLang, InferenceX, GuideLLM, AIPerf, LLMPerf</dd>
        <dt>Engine metrics, as a table</dt>
        <dd>Prometheus dumps of vLLM, SGLang, Triton, TensorRT-LLM and Dynamo; vLLM metrics and nvidia-smi as CSV; vLLM server logs</dd>
      </dl>
    </Empty>
  );
}
