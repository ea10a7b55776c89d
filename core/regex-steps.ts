// What a pattern costs the store. RE2 is linear in the text, but its constant is the pattern with its repetitions written out: `.{1000}c` takes 17 µs for each
// byte it looks at, a thousand times what a word takes, and no time limit ends a query inside one block of rows.

const unicodeClass = 20; // \pL is some hundred ranges of bytes

type Size = {
  readonly steps: number; // that cost: classes, and whatever is repeated
  readonly all: number; // with plain characters, which alone cost nothing
};

// Of a pattern that regexFault (regex.ts) lets pass.
export function regexSteps(pattern: string): number {
  const open: Size[] = [{ steps: 0, all: 0 }]; // of each group that is not closed yet, up to the last atom
  let atom: Size = { steps: 0, all: 0 };
  for (const token of pattern.match(tokens) ?? []) {
    if (/^\{\d/.test(token) && repeats.test(token)) {
      const [, low, comma, high] = repeats.exec(token)!;
      const times = Math.max(1, high ? Number(high) : Number(low) + (comma === undefined ? 0 : 1));
      atom = { steps: times * Math.max(atom.all, atom.steps), all: times * atom.all };
      continue;
    }
    if (token === "*" || token === "+" || token === "?") {
      atom = { steps: Math.max(atom.steps, atom.all), all: atom.all };
      continue;
    }
    add(atom);
    if (token.startsWith("(")) {
      if (token.endsWith(")")) atom = { steps: 0, all: 0 }; // (?i)
      else {
        open.push({ steps: 0, all: 0 });
        atom = { steps: 0, all: 0 };
      }
    } else if (token === ")" && open.length > 1) atom = open.pop()!;
    else atom = sizeOf(token);
  }
  add(atom);
  return open.reduce((sum, { steps }) => sum + steps, 0);

  function add({ steps, all }: Size): void {
    const last = open.length - 1;
    open[last] = { steps: open[last]!.steps + steps, all: open[last]!.all + all };
  }
}

// A pattern of nested repetitions has more digits than anyone wants to read.
export function stepsText(steps: number): string {
  return steps > 1_000_000 ? "over a million steps" : `${steps} steps`;
}

function sizeOf(token: string): Size {
  if (/^\\[pP]/.test(token) || /^\[.*\\[pP]/s.test(token)) return { steps: unicodeClass, all: unicodeClass };
  if (token.startsWith("[") || token === "." || /^\\[dDwWsSC]$/.test(token)) return { steps: 1, all: 1 };
  if (token.startsWith("\\Q")) return { steps: 0, all: token.length - 2 };
  return { steps: 0, all: /^(\\[bBAzZ]|[|^$])$/.test(token) ? 0 : 1 };
}

const repeats = /^\{(\d+)(,)?(\d*)\}$/;
// An escape, a class, the head of a group, a repetition, any other character.
const tokens = /\\Q[\s\S]*?(?:\\E|$)|\\(?:[pPx]\{[^}]*\}|[pP][\s\S]|[\s\S])|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?[imsU-]+\)|\(\?(?:[imsU-]*:|P?<\w+>)|\{\d+,?\d*\}|[\s\S]/gu;
