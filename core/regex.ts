// RE2 patterns where no RE2 is: what it refuses, as far as a look at the text shows (the store has the last word), and the same pattern for JavaScript.

// The sentence that names the fault, or undefined.
export function regexFault(pattern: string): string | undefined {
  let open = 0;
  let atom = false; // something a repetition can follow
  let repeated = false; // it has one already: RE2 refuses a** and a+*, but takes a*(?i)*
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at]!;
    if (one === "\\") {
      const next = pattern[++at];
      if (next === undefined) return "it ends in a backslash";
      if (/[1-9k]/.test(next)) return `RE2 has no back-references such as \\${next}`;
      if (next > "\x7f") return `\\${String.fromCodePoint(pattern.codePointAt(at)!)} is not an escape`;
      const literal = next === "Q" ? pattern.indexOf("\\E", at) : -1;
      if (next === "Q") at = literal === -1 ? pattern.length : literal + 1;
      atom = true;
    } else if (one === "[") {
      const end = classEnd(pattern, at);
      if (end === undefined) return "missing ]";
      at = end;
      atom = true;
    } else if (one === "(") {
      const look = /^\(\?(?:=|!|<=|<!|>)/.exec(pattern.slice(at, at + 4))?.[0];
      if (look !== undefined) return `RE2 has no groups such as ${look}`;
      const flags = /^\?[imsU-]+\)/.exec(pattern.slice(at + 1, at + 12))?.[0];
      const head = /^\?(?:[imsU-]*:|P?<\w+>)/.exec(pattern.slice(at + 1))?.[0];
      if (pattern[at + 1] === "?" && flags === undefined && head === undefined) return "unknown group after (?";
      at += (flags ?? head ?? "").length;
      // A flag is no atom and hides none: in a(?i)* the a repeats.
      if (flags !== undefined) {
        atom ||= repeated;
        continue;
      }
      open++;
      atom = false;
    } else if (one === ")") {
      if (--open < 0) return "unexpected )";
      atom = true;
    } else if (one === "*" || one === "+" || one === "?") {
      if (!atom) return `nothing to repeat before ${one}`;
      if (pattern[at + 1] === "?") at++;
      atom = false;
      repeated = true;
      continue;
    } else if (one === "{") {
      const repeat = /^\{(\d+)(?:,(\d*))?\}\??/.exec(pattern.slice(at, at + 16));
      if (repeat === null) atom = true;
      else {
        if (!atom) return "nothing to repeat before {";
        const [whole, low = "0", high] = repeat;
        if (Number(low) > 1000 || Number(high || 0) > 1000) return `${whole} repeats more than 1000 times`;
        if (high && Number(high) < Number(low)) return `${whole} counts backwards`;
        at += whole.length - 1;
        atom = false;
        repeated = true;
        continue;
      }
    } else atom = one !== "|";
    repeated = false;
  }
  return open > 0 ? "missing )" : undefined;
}

// The place of the ] that closes the class opened at `from`; a ] that comes first is an ordinary character, [:alpha:] is one item.
function classEnd(pattern: string, from: number): number | undefined {
  let at = from + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length && pattern[at] !== "]"; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern.startsWith("[:", at)) {
      const end = pattern.indexOf(":]", at);
      if (end !== -1) at = end + 1;
    }
  }
  return at < pattern.length ? at : undefined;
}

const posix: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z", alpha: "A-Za-z", ascii: "\\0-\\x7f", blank: "\\t ", cntrl: "\\0-\\x1f\\x7f", digit: "0-9", graph: "!-~", lower: "a-z",
  print: " -~", punct: "!-\\/:-@\\[-`{-~", space: "\\t\\n\\v\\f\\r ", upper: "A-Z", word: "0-9A-Za-z_", xdigit: "0-9A-Fa-f",
};

// The same pattern with \Q…\E spelled out and every other than ASCII character as \x{…}: what the store gets. Its match() first looks for plain text that must
// occur, byte by byte, and for `é*` demands the first byte of é, so such patterns miss rows; an escape keeps it from looking.
export function asciiPattern(pattern: string): string {
  return pattern
    .replace(/\\Q([\s\S]*?)(?:\\E|$)|\\[^Q]/g, (whole, literal?: string) => literal?.replace(/[!-/:-@[-`{-~]/g, "\\$&") ?? whole)
    .replace(/[^\0-\x7f]/gu, (one) => `\\x{${one.codePointAt(0)!.toString(16)}}`);
}

// The JavaScript pattern that matches what RE2 matches; undefined where there is none, e.g. (?i) in the middle of a pattern. "." also matches the end of a line,
// as in the store's match(). JavaScript backtracks: for patterns of our own, for tests and for one's own files, never for a request.
export function javascriptRegex(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const source = asciiPattern(pattern.slice(flags?.[0].length ?? 0)).replace(tokens, (token) => {
    if (token === "(?P<") return "(?<";
    if (token.startsWith("[")) return token.replace(/^(\[\^?)\]/, "$1\\]").replace(inClass, (one) => (one.startsWith("[") ? (posix[one.slice(2, -2)] ?? one) : escaped(one, true)));
    // A brace that repeats nothing stands for itself; with the u flag JavaScript wants it escaped.
    return token.length === 1 ? `\\${token}` : token.startsWith("{") ? token : escaped(token, false);
  });
  try {
    return new RegExp(source, `u${[...new Set(`s${flags?.[1] ?? ""}`)].join("")}`);
  } catch {
    return undefined;
  }
}

const tokens = /\\(?:[pPx]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\(\?P<|\{\d+(?:,\d*)?\}|[{}\]]/g;
const inClass = /\\(?:[pPx]\{[^}]*\}|[\s\S])|\[:\w+:\]/g;

function escaped(token: string, isInClass: boolean): string {
  const next = token[1]!;
  if (token.startsWith("\\x{")) return `\\u${token.slice(2)}`;
  if (next === "A") return "(?<![\\s\\S])";
  if (next === "z") return "(?![\\s\\S])";
  if (next === "s") return isInClass ? "\\t\\n\\f\\r " : "[\\t\\n\\f\\r ]";
  if (next === "S" && !isInClass) return "[^\\t\\n\\f\\r ]";
  // With the u flag JavaScript allows an escape only where it is needed; a hyphen needs one inside a class.
  return next === "-" ? "\\x2d" : /[^A-Za-z0-9\s^$\\.*+?()[\]{}|/]/.test(next) ? next : token;
}
