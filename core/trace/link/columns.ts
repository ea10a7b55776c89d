// Growable typed columns: a trace has up to millions of host calls, and an object per call would cost ten times the memory.

const roomAtFirst = 1024;

export class Float64Column {
  values = new Float64Array(roomAtFirst);
  length = 0;
  private room = roomAtFirst; // asking an array for its length on every push costs more than the push

  push(value: number): void {
    if (this.length === this.room) this.grow();
    this.values[this.length++] = value;
  }

  // Empties it; the room stays for what comes next.
  clear(): void {
    this.length = 0;
  }

  private grow(): void {
    const grown = new Float64Array((this.room *= 2));
    grown.set(this.values);
    this.values = grown;
  }
}

export class Int32Column {
  values = new Int32Array(roomAtFirst);
  length = 0;
  private room = roomAtFirst;

  push(value: number): void {
    if (this.length === this.room) this.grow();
    this.values[this.length++] = value;
  }

  // Empties it; the room stays for what comes next.
  clear(): void {
    this.length = 0;
  }

  private grow(): void {
    const grown = new Int32Array((this.room *= 2));
    grown.set(this.values);
    this.values = grown;
  }
}
