// The text forms that pprof's predecessors wrote. None of them holds CPU time; each is refused for what it is.
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^--- ?heapz|^heap profile: .*@ *(heapz_v2|heap|heapprofile)/m, "a legacy pprof heap profile: it measures memory, not time"],
  [/^--- ?growthz|^heap profile: .*@ *growthz/m, "a legacy pprof heap growth profile: it measures memory, not time"],
  [/^heap profile: /m, "a legacy pprof heap profile: it measures memory, not time"],
  [/^--- ?contention/m, "a legacy pprof contention profile: it says how long threads waited for locks, in sampled CPU cycles; `go tool pprof -proto FILE > out.pb.gz` converts it to nanoseconds, which are imported as wall-clock time"],
  [/^--- ?threadz|^threadcreate profile:/m, "a legacy pprof thread profile: a snapshot of which threads there are, without time"],
  [/^goroutine profile:/m, "a legacy pprof goroutine profile: a snapshot of which goroutines there are, without time"],
];

// `head`: the first lines of the file. Undefined = it is none of them.
export function legacyTextReason(head: string): string | undefined {
  const first = head.trimStart().slice(0, 200);
  return kinds.find(([pattern]) => new RegExp(pattern.source).test(first))?.[1];
}
