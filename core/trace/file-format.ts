// What a file is, told by its first bytes; the name only helps where bytes cannot. A file that is no profile gets the reason a person would give.
import { decodeText } from "./decode-text.ts";
import { magicReason } from "./file-magic.ts";
import { foldedLine } from "./folded/read-folded.ts";
import { type JsonKeys, jsonKeys } from "./json-keys.ts";
import { legacyCpuWords } from "./pprof/legacy-cpu.ts";
import { legacyTextReason } from "./pprof/legacy-text.ts";
import type { Refusal } from "./refusal.ts";

export type Door = "chrome" | "pprof" | "pprof-legacy" | "folded" | "otlp" | "otlp-json" | "rocprof" | "speedscope" | "nsys" | "ncu" | "model-execution";
export type FileFormat =
  | { readonly door: Door; readonly lacking?: string } // lacking: what a person should know when nothing can be imported through it
  | { readonly door: "protobuf" } // pprof or OTLP: only the whole file tells
  | ({ readonly door: "none" } & Refusal);

export const headBytes = 65_536; // of a file, enough for every format to show itself

export const readable =
  "Lamella reads traces of torch.profiler (Chrome trace JSON), pprof, folded stacks, OTLP profiles, speedscope, rocprofv3 JSON, Nsight Systems (.sqlite) and Nsight Compute (CSV)";

// `head`: the first headBytes of the file, gzip undone, or all of it.
export function fileFormat(head: Uint8Array, name = ""): FileFormat {
  if (head.length === 0) return none("the file is empty");
  if (startsWith(head, "SQLite format 3\0")) return { door: "nsys" };
  const magic = magicReason(head, name);
  if (magic !== undefined) return none(magic);
  if (legacyCpuWords(head) !== undefined) return { door: "pprof-legacy" };
  if (isBinary(head)) return { door: "protobuf" };
  const text = decodeText(head);
  return jsonFormat(jsonKeys(text), name) ?? textFormat(text);
}

const none = (reason: string, is?: Refusal["is"]): FileFormat => ({ door: "none", reason, at: 0, ...(is === undefined ? {} : { is }) });

function startsWith(head: Uint8Array, word: string): boolean {
  return head.length >= word.length && [...word].every((letter, i) => head[i] === letter.charCodeAt(0));
}

// Control characters that no text has. Text in UTF-16 says so with its byte order mark.
function isBinary(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return false;
  const start = head[0] === 0x7b || head[0] === 0x5b; // a damaged JSON trace may hold control characters; its reader counts them
  return !start && head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b);
}

// Enough to say what it is; core/workload tells benchmark results apart.
const benchmarkKeys = /(^|_)ttfts?(_|$)|^(request_throughput|output_throughput|benchmarks|input_config)$/;
const configKeys = /^(architectures|model_type|transformers_version|quantization_config|quant_method|vocab_size)$/;

// Files of vllm_arch_map beside model_execution.json, by name: what is in them is not published.
const mapperFiles: readonly (readonly [RegExp, string])[] = [
  [/(^|[\\/])per_request_profiles\.json(\.gz)?$/, "per_request_profiles.json of vllm_arch_map, whose fields are not published; `lamella report` puts the traces it was made of (request_001.json …) side by side"],
  [/(^|[\\/])request_metadata\.json(\.gz)?$/, "labels of request traces (Fast, Typical, Slow), without times; import the traces"],
];

function jsonFormat(json: JsonKeys | undefined, name: string): FileFormat | undefined {
  if (json === undefined) return undefined;
  const { keys, schema, array } = json;
  const has = (...names: string[]) => names.every((name) => keys.includes(name));
  if (!array && has("traceEvents", "stackFrames")) return { door: "chrome", lacking: 'a sampled Chrome trace: its time is in "samples" and "stackFrames", which are not read' };
  if (!array && has("traceEvents")) return { door: "chrome" };
  if (has("rocprofiler-sdk-tool")) return { door: "rocprof" };
  if (schema.includes("speedscope") || has("shared", "profiles")) return { door: "speedscope" };
  if (has("resourceProfiles") || has("resource_profiles")) return { door: "otlp-json" };
  if (has("kernel_summary", "module_tree") || has("kernel_summary", "layer_template")) return { door: "model-execution" }; // the tree may begin after the head
  if (has("schema_version", "capture_mode") || has("schema_version", "tree")) return none("model_tree.json of vllm_arch_map, a model's structure without times", "model-tree");
  if (keys.some((key) => benchmarkKeys.test(key))) return none("a benchmark result, not a profile", "benchmark");
  if (keys.some((key) => configKeys.test(key)) || (has("quantization") && keys.length <= 2)) {
    return none("a model configuration; `python -m lamella.walk --config FILE` reads the model's structure from it", "model");
  }
  if (has("nodes", "timeDeltas") || has("nodes", "startTime", "endTime")) return none(`a V8 CPU profile (.cpuprofile). ${readable}`);
  if (has("meta", "threads")) return none(`a Firefox Profiler file. ${readable}`);
  if (has("resourceSpans") || has("resourceMetrics") || has("resourceLogs")) return none("OTLP data, but traces, metrics or logs: no profiles");
  const mapperFile = mapperFiles.find(([pattern]) => pattern.test(name));
  if (mapperFile !== undefined && !has("ph")) return none(mapperFile[1]);
  return { door: "chrome" }; // its reader takes damaged and late "traceEvents", and says what is missing
}

function textFormat(text: string): FileFormat {
  const legacy = legacyTextReason(text);
  if (legacy !== undefined) return none(legacy);
  if (/^# (HELP|TYPE) \w/m.test(text) || /^[a-zA-Z_:][\w:]*\{\w+="[^\n]*\} \S+$/m.test(text)) return none("a Prometheus metrics dump, not a profile", "metrics");
  if (/^"?(ID|Process ID)"?,.*"?Kernel Name"?/m.test(text) || /^==PROF==/m.test(text)) return { door: "ncu" };
  if (/^\S.*\s\d+(\/\d+)?\s+(\[\d+\]\s+)?[\d.]+:\s.*\n\s+[0-9a-f]+ /m.test(text)) return none("the output of perf script; fold it with stackcollapse-perf.pl and import the result");
  if (/^\s*</.test(text)) return none(`HTML or XML. ${readable}`);
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !/^(#|\/\/)/.test(line));
  const whole = text.endsWith("\n") ? lines : lines.slice(0, Math.max(1, lines.length - 1)); // the head may end inside a line
  const stacks = whole.filter((line) => foldedLine.test(line)).length;
  const framed = whole.filter((line) => line.includes(";") && foldedLine.test(line)).length;
  if (stacks * 2 >= whole.length && framed > 0) return { door: "folded" };
  return none(`no profile format that is known. ${readable}`);
}
