// Bodies: reading a request with a bound, undoing gzip with a bound. The caller is known before the first byte is read.
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";

// Told of bytes before they are kept; throws when there is no room for them.
export type Take = (bytes: number) => void;
const free: Take = () => undefined;

export class InflateError extends Error {
  readonly code: "body_undecodable" | "limit_exceeded";
  constructor(code: InflateError["code"], detail: string) {
    super(detail);
    this.code = code;
  }
}

// Empty when there is none. More than `max` bytes are refused before they are read when Content-Length says so, else while reading.
export async function readBody(request: Request, max: number, advice: string, take: Take = free): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  const bytes = declared > max ? null : request.body === null ? new Uint8Array(0) : await collect(request.body, max, take);
  if (bytes === null) throw new ApiError("body_too_large", { detail: `The body has more than ${max} bytes. ${advice}` });
  return bytes;
}

// A protobuf message cannot begin with gzip's magic number (it would be field 3 with wire type 7), so the bytes say themselves what they are.
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

// Exactly one gzip member: a second one, trailing bytes, a cut or a wrong checksum are refused by the runtime itself.
export async function inflate(bytes: Uint8Array, take: Take = free): Promise<Uint8Array> {
  if (!isGzip(bytes)) {
    if (bytes.length > limits.inflatedBytesMax) throw new InflateError("limit_exceeded", `the body has ${bytes.length} bytes, more than ${limits.inflatedBytesMax} (inflatedBytesMax)`);
    return bytes;
  }
  let inflated: Uint8Array | null;
  try {
    inflated = await collect(new Response(bytes as BodyInit).body!.pipeThrough(new DecompressionStream("gzip")), limits.inflatedBytesMax, take);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new InflateError("body_undecodable", `the body is not one whole gzip member: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (inflated === null) throw new InflateError("limit_exceeded", `the body inflates to more than ${limits.inflatedBytesMax} bytes (inflatedBytesMax); send it in parts`);
  return inflated;
}

// Null when there are more than `max` bytes; the rest is never read.
async function collect(stream: ReadableStream<Uint8Array>, max: number, take: Take): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    take(value.length);
    if (length > max) {
      await reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
