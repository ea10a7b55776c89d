// A file's bytes from its beginning, gzip undone, as often as they are asked for.
export class FileChunks {
  readonly file: File;
  readonly #onRead: (bytes: number, pass: number) => void;
  #passes = 0;
  cutShort = false; // its gzip breaks off, or something follows it

  constructor(file: File, onRead: (bytes: number, pass: number) => void) {
    this.file = file;
    this.#onRead = onRead;
  }

  async isGzip(): Promise<boolean> {
    const [first, second] = new Uint8Array(await this.file.slice(0, 2).arrayBuffer());
    return first === 0x1f && second === 0x8b;
  }

  async *open(): AsyncGenerator<Uint8Array> {
    const pass = ++this.#passes;
    let bytes = 0;
    const counted = this.file.stream().pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform: (chunk, out) => {
          this.#onRead((bytes += chunk.length), pass);
          out.enqueue(chunk);
        },
      }),
    );
    const gzip = await this.isGzip();
    const reader = (gzip ? counted.pipeThrough(new DecompressionStream("gzip")) : counted).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } catch (error) {
      // What was unpacked before is read, as the command line does; whoever reads it finds the end missing.
      if (!gzip || !(error instanceof TypeError)) throw error;
      this.cutShort = true;
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  // The first `max` bytes, or all there are.
  async upTo(max: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.open()) {
      parts.push(chunk);
      if ((bytes += chunk.length) >= max) break;
    }
    const whole = new Uint8Array(Math.min(bytes, max));
    let at = 0;
    for (const part of parts) {
      whole.set(part.subarray(0, whole.length - at), at);
      at += part.length;
      if (at >= whole.length) break;
    }
    return whole;
  }
}
