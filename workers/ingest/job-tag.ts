// A CI token may be bound to one branch tag: what it sends must carry that tag, and no other.
import type { DecodedUpload } from "./decode-upload.ts";

// The first job tag of the upload that is not the token's; null when all are.
export function foreignJobTag(decoded: DecodedUpload, bound: string): string | null {
  if (decoded.kind === "sightings") return decoded.upload.sightings.find((one) => one.jobTag !== bound)?.jobTag ?? null;
  if (decoded.kind !== "samples") return null;
  const { contexts, strings } = decoded.upload;
  for (let row = 1; row < contexts.rows; row++) {
    const tag = strings[contexts.jobTag[row]!]!;
    if (tag !== bound) return tag;
  }
  return null;
}
