// The files that a flamegraph can be exported as, for other tools.

export const exportFormats = {
  pprof: { contentType: "application/octet-stream", extension: "pb.gz", opens: "go tool pprof, Pyroscope, Parca" },
  folded: { contentType: "text/plain; charset=utf-8", extension: "folded", opens: "flamegraph.pl, inferno, speedscope" },
  speedscope: { contentType: "application/json", extension: "speedscope.json", opens: "speedscope.app" },
  chrome: { contentType: "application/json", extension: "trace.json", opens: "ui.perfetto.dev, chrome://tracing" },
  csv: { contentType: "text/csv; charset=utf-8; header=present", extension: "csv", opens: "spreadsheets, pandas" },
} as const;

export type ExportFormat = keyof typeof exportFormats;
export const exportFormatNames = Object.keys(exportFormats) as ExportFormat[];
