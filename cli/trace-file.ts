// A trace file as byte chunks, gzip undone, and the SHA-256 of its bytes as they lie on disk. A file that breaks off early gives what it has.
import { createHash } from "node:crypto";
import { accessSync, constants, createReadStream, type ReadStream, readdirSync, statSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { type Limit, limits } from "#schema/limits.ts";
import { CliError } from "./cli-error.ts";

export function checkFile(path: string): number {
  try {
    accessSync(path, constants.R_OK);
    const stat = statSync(path);
    if (stat.isDirectory()) throw new CliError(`${path} is ${folderText(path)}. Name one trace file, such as trace.json or trace.json.gz.`, "file_unreadable");
    if (!stat.isFile()) throw new CliError(`${path} is a pipe or a device, and files are read more than once: save it as a file first.`, "file_unreadable");
    return stat.size;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : String((error as Error).message)}.`, "file_unreadable");
  }
}

function folderText(path: string): string {
  const names = readdirSync(path);
  return names.some((name) => /^(output_code\.py|fx_graph_(readable|runnable|transformed)\.py|ir_(pre|post)_fusion\.txt)$/.test(name)) ? "a debug folder of Inductor: generated code, without times" : "a folder";
}

export async function fileSha256(path: string): Promise<string> {
  checkFile(path);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

// A gzip file that ends before its end simply ends here too; the reader then marks the trace as truncated by itself.
// `onRead` hears how many bytes of the file, as it lies on disk, have been read so far.
export async function* traceChunks(path: string, onRead: (bytes: number) => void = () => undefined): AsyncGenerator<Uint8Array> {
  const head = await firstBytes(path);
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  for await (const chunk of unpacked(file, head)) {
    onRead(file.bytesRead);
    yield chunk;
  }
}

async function* unpacked(file: ReadStream, head: Uint8Array): AsyncGenerator<Uint8Array> {
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

// At most 16: enough to tell gzip and SQLite.
export async function firstBytes(path: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(path, { end: 15 })) return chunk as Uint8Array;
  return new Uint8Array(0);
}

// The first bytes, gzip undone, or all there are.
export async function headOf(path: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of traceChunks(path)) {
    chunks.push(chunk);
    if ((bytes += chunk.length) >= bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}

// The whole file, gzip undone, of a kind that is read as a whole. `advice`: how to get a smaller one.
export async function bytesOf(path: string, limit: Limit, advice: string): Promise<Uint8Array> {
  checkFile(path);
  const bytes = await headOf(path, limits[limit] + 1);
  if (bytes.length <= limits[limit]) return bytes;
  throw new CliError(`${path} is refused: it has more than ${limits[limit].toLocaleString("en-US")} bytes (${limit}); ${advice}.`, "file_refused");
}
