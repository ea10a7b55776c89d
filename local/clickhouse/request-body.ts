// The body of a request: read as text when it is SQL, spooled to a file when it is the data of an INSERT. The engine reads data from that file (and undoes its
// gzip), because bytes given beside the SQL text would end at the first empty line (engine.ts). Invariant: a spooled file lives as long as its insert.
import { createWriteStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { exception } from "./exception.ts";
import { isForm, readForm } from "./form-body.ts";
import { readInsertHead } from "./statement.ts";

export const bodyBytesMax = 256 * 1024 * 1024; // as sent, and again inflated where it is inflated here
const insertHeadBytesMax = 64 * 1024;

export interface SpooledData {
  path: string;
  gzip: boolean;
  discard(): Promise<void>;
}

export interface RequestBody {
  sql: string; // the query of the URL and the body behind it, without the data of an INSERT
  data: SpooledData | undefined;
  params: ReadonlyMap<string, string>; // those of a form
}

export async function readBody(
  request: IncomingMessage,
  { query, gzip, spoolDir, name }: { query: string; gzip: boolean; spoolDir: string; name: string },
): Promise<RequestBody> {
  const type = request.headers["content-type"];
  const form = isForm(type) ? await readForm(await collect(request, gzip), type!) : undefined;
  const params = form?.params ?? new Map<string, string>();
  const path = join(spoolDir, name);
  const spooled = (isGzip: boolean): SpooledData => ({ path, gzip: isGzip, discard: () => rm(path, { force: true }) });
  const head = query === "" || form !== undefined ? undefined : readInsertHead(query);
  if (head && head.dataAt >= query.length) {
    try {
      await pipeline(request, atMost(bodyBytesMax), createWriteStream(path));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { sql: query, data: spooled(gzip), params };
  }
  const body = form === undefined ? await collect(request, gzip) : Buffer.from(form.query);
  const whole = Buffer.concat([Buffer.from(query && body.length > 0 ? `${query}\n` : query), body]);
  // Statement and data in one: only the first bytes can be the statement, the rest may be binary (latin1 keeps one character a byte).
  const inBody = readInsertHead(whole.subarray(0, insertHeadBytesMax).toString("latin1"));
  if (inBody) {
    await writeFile(path, whole.subarray(inBody.dataAt));
    return { sql: whole.subarray(0, inBody.dataAt).toString("utf8"), data: spooled(false), params };
  }
  return { sql: whole.toString("utf8"), data: undefined, params };
}

async function collect(request: IncomingMessage, gzip: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  try {
    if (gzip) await pipeline(request, atMost(bodyBytesMax), createGunzip(), atMost(bodyBytesMax), keep);
    else await pipeline(request, atMost(bodyBytesMax), keep);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_")) throw exception(354, `the body is not valid gzip: ${(error as Error).message}`);
    throw error;
  }
  return Buffer.concat(chunks);
}

function atMost(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(exception(307, `the body is larger than ${bytesMax} bytes: send it in parts`));
      else done(null, chunk);
    },
  });
}
