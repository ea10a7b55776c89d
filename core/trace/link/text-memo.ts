// What is found out about a text, once for each: one byte by its id. In an array with gaps it would be looked up in a hash table.
import type { TextTable } from "../read/text-table.ts";

const unasked = -1;

export class TextMemo<Answer extends number> {
  private answers = new Int8Array(1024).fill(unasked);
  private room = this.answers.length;
  private readonly texts: TextTable;
  private readonly ask: (text: string) => Answer;

  // `ask` answers with 0 to 127.
  constructor(texts: TextTable, ask: (text: string) => Answer) {
    this.texts = texts;
    this.ask = ask;
  }

  of(id: number): Answer {
    if (id >= this.room) this.grow(id);
    if (this.answers[id] === unasked) this.answers[id] = this.ask(this.texts.text(id));
    return this.answers[id] as Answer;
  }

  private grow(id: number): void {
    while (this.room <= id) this.room *= 2;
    const grown = new Int8Array(this.room).fill(unasked);
    grown.set(this.answers);
    this.answers = grown;
  }
}
