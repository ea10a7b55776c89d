// What was not taken as it was in a file read by lines: per sentence a count, and the line of the first one where there is one.

export class LineNotes {
  private readonly bySentence = new Map<string, { count: number; firstLine: number | null }>();

  add(sentence: string, line: number | null = null, count = 1): void {
    const known = this.bySentence.get(sentence);
    if (known === undefined) this.bySentence.set(sentence, { count, firstLine: line });
    else known.count += count;
  }

  texts(): string[] {
    return [...this.bySentence].map(([sentence, { count, firstLine }]) => `${sentence}: ${count.toLocaleString("en-US")}${firstLine === null ? "" : `, the first in line ${firstLine.toLocaleString("en-US")}`}`);
  }
}
