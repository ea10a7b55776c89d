// Growable typed columns: a trace has up to millions of host calls, and an object per call would cost ten times the memory.

export class Float64Column {
  values = new Float64Array(1024);
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  // Empties it; the room stays for what comes next.
  clear(): void {
    this.length = 0;
  }
}

export class Int32Column {
  values = new Int32Array(1024);
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  // Empties it; the room stays for what comes next.
  clear(): void {
    this.length = 0;
  }
}
