// gperftools' binary CPU profile → Execution. Words of 4 or 8 bytes in either byte order: a header (0, number of words that follow, version, period in µs, padding),
// records (hits, depth, addresses leaf first), a trailer (0, 1, 0), then the text of /proc/self/maps. It holds no symbols: frames are places in binaries.
import { decodeUtf8 } from "#core/utf8.ts";
import { err, type Result } from "#core/result.ts";
import type { Execution } from "../execution.ts";
import { addressFrame, type Mapping } from "../mapped-address.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";

type Words = { bytes: 4 | 8; littleEndian: boolean };

// The form of the words a legacy CPU profile begins with; undefined = it is none.
export function legacyCpuWords(head: Uint8Array): Words | undefined {
  const forms: Words[] = [{ bytes: 8, littleEndian: true }, { bytes: 8, littleEndian: false }, { bytes: 4, littleEndian: true }, { bytes: 4, littleEndian: false }];
  return forms.find((form) => {
    const word = wordReader(head, form);
    return head.length >= 5 * form.bytes && word(0) === 0n && word(1) >= 3n && word(1) < 256n && word(2) === 0n && word(3) > 0n && word(3) < 10_000_000n;
  });
}

export function readLegacyCpu(bytes: Uint8Array, form: Words): Result<Execution, Refusal> {
  const word = wordReader(bytes, form);
  const words = Math.floor(bytes.length / form.bytes);
  const periodNs = Number(word(3)) * 1000;
  const headerWords = Number(word(1)) + 2;
  const mappings = mappingsOf(decodeUtf8(bytes.subarray(endOfRecords(word, words, headerWords) * form.bytes)));
  const execution = new StackExecution();
  let records = 0;
  let ended = false;
  for (let at = headerWords; at + 2 < words && !ended; ) {
    const hits = word(at);
    const depth = Number(word(at + 1));
    ended = hits === 0n && depth === 1 && word(at + 2) === 0n;
    if (ended) break;
    if (depth < 1 || at + 2 + depth > words || hits > 2n ** 32n) return err({ reason: "a legacy pprof CPU profile whose records cannot be followed: a stack runs past the end", at: at * form.bytes });
    const frames: number[] = [];
    for (let i = depth - 1; i >= 0; i--) {
      const address = word(at + 2 + i);
      frames.push(execution.frame(addressFrame(address, mappings.find((one) => address >= one.start && address < one.end))));
    }
    execution.add(execution.stack(frames), { value: Number(hits) * periodNs, count: Number(hits) });
    records++;
    at += 2 + depth;
  }
  const notes = [`A legacy pprof CPU profile: hits × ${(periodNs / 1e6).toLocaleString("en-US")} ms, no symbols; code is named by its place in the binary`];
  if (!ended) notes.push("The file ends without the trailer of its records (truncated); everything before is used");
  if (mappings.length === 0) notes.push("The file lists no mappings: code is named by its address");
  return execution.finish({ profileType: "cpu", events: records, notes });
}

function endOfRecords(word: (index: number) => bigint, words: number, from: number): number {
  for (let at = from; at + 2 < words; at += 2 + Number(word(at + 1))) if (word(at) === 0n && word(at + 1) === 1n && word(at + 2) === 0n) return at + 3;
  return words;
}

// Lines of /proc/self/maps that are code: "00400000-00fcb000 r-xp 00000000 08:01 1234 /bin/server".
function mappingsOf(text: string): (Mapping & { end: bigint })[] {
  return [...text.matchAll(/^\s*([0-9a-f]{1,16})-([0-9a-f]{1,16})\s+[-r][-w]x[-ps]\s+([0-9a-f]{1,16})\s+\S+\s+\d+\s*(.*)$/gm)].map(([, start = "0", end = "0", offset = "0", file = ""]) => ({
    start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), offset: BigInt(`0x${offset}`), file: file.trim(),
  }));
}

function wordReader(bytes: Uint8Array, { bytes: size, littleEndian }: Words): (index: number) => bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return (index) => (size === 8 ? view.getBigUint64(index * 8, littleEndian) : BigInt(view.getUint32(index * 4, littleEndian)));
}
