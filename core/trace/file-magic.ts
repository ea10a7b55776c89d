// Binary formats that are no profile Lamella reads, by their first bytes (the name where they have none), and what to do instead.
const formats: readonly { readonly bytes?: string; readonly name?: RegExp; readonly reason: string }[] = [
  { name: /\.(nsys-rep|qdrep|qdstrm)$/i, reason: "an Nsight Systems report; export it first: nsys export --type sqlite FILE" },
  { name: /\.ncu-rep$/i, reason: "an Nsight Compute report; export it first: ncu --import FILE --csv --page raw > kernels.csv" },
  { name: /\.(pftrace|perfetto-trace)$/i, reason: "a Perfetto trace; convert it first: traceconv json FILE trace.json" },
  { name: /\.xplane\.pb$/i, reason: "a TensorFlow/XLA profile (XPlane), which is not read" },
  { bytes: "QDSTRM", reason: "an Nsight Systems report; export it first: nsys export --type sqlite FILE" },
  { bytes: "NVR\0", reason: "an Nsight Compute report; export it first: ncu --import FILE --csv --page raw > kernels.csv" },
  { bytes: "PERFILE2", reason: "a perf.data file; fold it first: perf script | stackcollapse-perf.pl > stacks.folded" },
  { bytes: "\x1f\x8b", reason: "gzip inside gzip; undo the outer one" },
  { bytes: "PK\x03\x04", reason: "a zip archive; unpack it and import the trace inside" },
  { bytes: "\x28\xb5\x2f\xfd", reason: "compressed with zstd; undo it first: zstd -d FILE" },
  { bytes: "\xfd7zXZ", reason: "compressed with xz; undo it first: xz -d FILE" },
  { bytes: "BZh", reason: "compressed with bzip2; undo it first: bzip2 -d FILE" },
  { bytes: "\x7fELF", reason: "a program or library, not a profile" },
  { bytes: "PAR1", reason: "a Parquet file, not a profile" },
  { bytes: "\x80\x04\x95", reason: "a Python pickle, as torch.cuda.memory._dump_snapshot writes: memory, not time" },
  { bytes: "\xfb", name: /\.(prof|pstats)$/i, reason: "a cProfile result: sums per function without stacks" },
];

export function magicReason(head: Uint8Array, name: string): string | undefined {
  const begins = (bytes: string) => [...bytes].every((letter, i) => head[i] === letter.charCodeAt(0));
  return formats.find((format) => (format.bytes === undefined || begins(format.bytes)) && (format.name === undefined || format.name.test(name.replace(/\.gz$/i, ""))))?.reason;
}
