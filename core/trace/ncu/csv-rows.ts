// Rows of comma-separated values as RFC 4180 writes them: cells may be quoted, a quote inside is doubled, a quoted cell may hold line ends.
export function* csvRows(text: string): Generator<string[]> {
  let row: string[] = [];
  for (const [, quoted, plain, separator] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (separator === "" && row.length === 0 && quoted === undefined && plain === "") return;
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (separator === ",") continue;
    yield row;
    row = [];
    if (separator === "") return;
  }
}
