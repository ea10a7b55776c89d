// The pointer that travels on the queue (under 400 bytes: a message may be 128,000, so the body never rides along).
import { z } from "zod";

export const uploadKinds = ["samples", "shapes", "sightings", "executions", "workloads", "metrics"] as const;
export type UploadKind = (typeof uploadKinds)[number];

export const uploadMessage = z.strictObject({
  v: z.literal(1),
  tenantId: z.string().regex(/^[a-z2-7]{16}$/),
  kind: z.enum(uploadKinds),
  uploadId: z.string().regex(/^[0-9a-f]{64}$/),
  receivedAtMs: z.int().nonnegative(),
  bodyBytes: z.int().nonnegative(), // as sent
  inflatedBytes: z.int().nonnegative().optional(), // what it takes in memory; unknown after a replay
});
export type UploadMessage = z.infer<typeof uploadMessage>;
