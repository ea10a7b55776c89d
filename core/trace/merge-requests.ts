// Several executions of one model, one request each → one module tree with a column per request: what grows with the input and what does not.
// Modules are matched by path, in the order of the first execution that has them. A module's longest call is its prefill (a decode step handles one token a
// request), so growth is read off the longest calls: the slope of ln(time) over ln(input tokens), by least squares. 0 = the same whatever the input, 1 = in
// proportion, 2 = with its square, as attention does where nothing else limits it.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

export type RequestColumn = { label: string; inputTokens: number; outputTokens: number; latencyNs: number; value: number; busyNs: number };

export type MergedRequests = {
  requests: RequestColumn[];
  texts: string[];
  modules: {
    parent: number[]; // row; -1 = a root
    name: number[]; path: number[]; class: number[]; // texts
    value: (number | null)[][]; // per module and request, ns; null = that request did not call it
    calls: number[][];
    longest: (number | null)[][]; // ns of the longest call
    ratio: (number | null)[]; // of the largest value to the smallest; null where a request has none or 0
    growth: (number | null)[]; // null where fewer than two input lengths or a time of 0 are there to read it off
  };
};

export function mergeRequests(records: readonly ExecutionRecord[], labels: readonly string[]): MergedRequests {
  const requests = records.map(({ request, totals }, i) => ({
    label: request?.label || labels[i]!, inputTokens: request?.inputTokens ?? 0, outputTokens: request?.outputTokens ?? 0, latencyNs: request?.latencyNs ?? 0, value: totals.value, busyNs: totals.busyNs,
  }));
  const texts: string[] = [];
  const idOf = new Map<string, number>();
  const text = (value: string): number => {
    let id = idOf.get(value);
    if (id === undefined) idOf.set(value, (id = texts.push(value) - 1));
    return id;
  };
  const nodes: Node[] = [];
  const known = new Map<string, Node>();
  for (const [column, record] of records.entries()) {
    const nodeOfRow: Node[] = [];
    for (const [row, parent] of record.modules.parent.entries()) {
      const name = record.texts[record.modules.name[row]!]!;
      const [path, className] = [record.texts[record.modules.path[row]!]!, record.texts[record.modules.class[row]!]!];
      const key = `${path}\0${className}`;
      let node = known.get(key);
      if (node === undefined) {
        node = { parent: parent < 0 ? undefined : nodeOfRow[parent]!, children: [], name: text(name), path: text(path), class: text(className), value: fill(records, null), calls: fill(records, 0), longest: fill(records, null) };
        known.set(key, node);
        (node.parent?.children ?? nodes).push(node);
      }
      nodeOfRow.push(node);
      node.value[column] = (node.value[column] ?? 0) + record.modules.value[row]!;
      node.calls[column]! += record.modules.calls[row]!;
      node.longest[column] = Math.max(node.longest[column] ?? 0, record.profileType === "cuda" ? record.modules.gpu.max[row]! : record.modules.cpu.max[row]!);
    }
  }
  return { requests, texts, modules: columnsOf(nodes, requests) };
}

type Node = { parent: Node | undefined; children: Node[]; name: number; path: number; class: number; value: (number | null)[]; calls: number[]; longest: (number | null)[] };

function fill<T>(records: readonly unknown[], value: T): T[] {
  return records.map(() => value);
}

function columnsOf(roots: readonly Node[], requests: readonly RequestColumn[]): MergedRequests["modules"] {
  const columns: MergedRequests["modules"] = { parent: [], name: [], path: [], class: [], value: [], calls: [], longest: [], ratio: [], growth: [] };
  const rowOf = new Map<Node, number>();
  const pending = [...roots].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    rowOf.set(node, columns.parent.length);
    columns.parent.push(node.parent === undefined ? -1 : rowOf.get(node.parent)!);
    for (const name of ["name", "path", "class"] as const) columns[name].push(node[name]);
    columns.value.push(node.value);
    columns.calls.push(node.calls);
    columns.longest.push(node.longest);
    columns.ratio.push(ratioOf(node.value));
    columns.growth.push(growthOf(requests.map(({ inputTokens }) => inputTokens), node.longest));
    for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!);
  }
  return columns;
}

export function ratioOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  const least = Math.min(...known);
  return known.length === values.length && known.length > 1 && least > 0 ? Math.max(...known) / least : null;
}

export function growthOf(inputTokens: readonly number[], times: readonly (number | null)[]): number | null {
  const points = times.flatMap((time, i) => (time !== null && time > 0 && inputTokens[i]! > 0 ? [[Math.log(inputTokens[i]!), Math.log(time)] as const] : []));
  if (points.length !== times.length || new Set(points.map(([x]) => x)).size < 2) return null;
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

// How a person says it.
export function growthText(growth: number | null): string {
  if (growth === null) return "";
  if (growth < 0.25) return "the same whatever the input";
  if (growth < 0.75) return "grows slower than the input";
  return growth <= 1.25 ? "scales with the input" : "grows faster than the input";
}
