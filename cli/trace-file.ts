// A trace file as byte chunks, gzip undone, and the SHA-256 of its bytes as they lie on disk. A file that breaks off early gives what it has.
import { createHash } from "node:crypto";
import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { CliError } from "./cli-error.ts";

export function checkFile(path: string): number {
  try {
    accessSync(path, constants.R_OK);
    const stat = statSync(path);
    if (stat.isDirectory()) throw new CliError(`${path} is a folder. Name one trace file, such as trace.json or trace.json.gz.`, "file_unreadable");
    return stat.size;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : String((error as Error).message)}.`, "file_unreadable");
  }
}

export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

// A gzip file that ends before its end simply ends here too; the reader then marks the trace as truncated by itself.
export async function* traceChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  const head = await firstBytes(path);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* file as AsyncIterable<Uint8Array>;
    return;
  }
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  file.on("error", (error) => gunzip.destroy(error));
  try {
    yield* file.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!["Z_BUF_ERROR", "Z_DATA_ERROR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function firstBytes(path: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(path, { end: 1 })) return chunk as Uint8Array;
  return new Uint8Array(0);
}
