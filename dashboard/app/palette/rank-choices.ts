// Orders choices by how well they fit what was typed. Every word must be found in a choice's text: best at its start, then at the start of a word, then
// anywhere, last as letters in order ("fgr" in "Flamegraph") which must begin at the start of a word. Equal fits keep their order.
const atStart = 4;
const atWord = 3;
const inside = 2;
const inOrder = 1;

export function rankChoices<Choice extends { readonly text: string }>(choices: readonly Choice[], typed: string): Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return choices
    .map((choice) => ({ choice, fit: fitOf(choice.text.toLowerCase(), words) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .map(({ choice }) => choice);
}

// 0: one of the words is not there. Of equal kinds of fit the shorter text is the closer one, so its share decides last.
function fitOf(text: string, words: readonly string[]): number {
  let sum = 0;
  let letters = 0;
  for (const word of words) {
    const fit = fitOfWord(text, word);
    if (fit === 0) return 0;
    sum += fit;
    letters += word.length;
  }
  return sum + Math.min(0.99, letters / Math.max(1, text.length));
}

function fitOfWord(text: string, word: string): number {
  if (text.startsWith(word)) return atStart;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (startsWord(text, at)) return atWord;
  if (text.includes(word)) return inside;
  for (let at = text.indexOf(word[0]!); at >= 0; at = text.indexOf(word[0]!, at + 1)) if (startsWord(text, at) && inOrderFrom(text, at, word)) return inOrder;
  return 0;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);
}

function inOrderFrom(text: string, at: number, word: string): boolean {
  let next = at;
  for (const letter of word) {
    next = text.indexOf(letter, next);
    if (next < 0) return false;
    next++;
  }
  return true;
}
