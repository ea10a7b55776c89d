// Labels of samples (thread, process, request) are no frames and no filter fields: what there is of them is said, with how many values each has.
const keysShownMax = 8;

export class LabelCounts {
  private readonly values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const known = this.values.get(key);
    if (known === undefined) this.values.set(key, new Set([value]));
    else known.add(value);
  }

  notes(): string[] {
    if (this.values.size === 0) return [];
    const shown = [...this.values].slice(0, keysShownMax).map(([key, values]) => (values.size === 1 ? `${key} = ${[...values][0]}` : `${key} (${values.size.toLocaleString("en-US")} values)`));
    const more = this.values.size > keysShownMax ? ` and ${this.values.size - keysShownMax} more` : "";
    return [`Labels of the samples, merged: ${shown.join(", ")}${more}`];
  }
}
