// Skips one JSON value of any size across any number of windows, holding three numbers. For values too large to keep: brackets and quotes are
// followed, the grammar is not checked.

export class ValueSkipper {
  private depth = 0;
  private inString = false;
  private escaped = false;

  // Skips from bytes[at]; returns where the value ended, or -1 when it goes on beyond `end`.
  skip(bytes: Uint8Array, at: number, end: number): number {
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === 0x5c) this.escaped = true;
        else if (byte === 0x22) this.inString = false;
        if (this.inString || this.depth > 0) continue;
        return at + 1;
      }
      if (byte === 0x22) this.inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --this.depth <= 0) return at + 1;
    }
    return -1;
  }
}
