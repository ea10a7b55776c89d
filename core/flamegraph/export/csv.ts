// CSV (RFC 4180), one row per node of the flamegraph: what a spreadsheet pivots. The values of `self` add up to the whole, those of `total` hold what is below;
// `module` is the innermost module a frame lies in, so that a filter on it finds its kernels. `node` and `parent` give the stack.
// Characters that a terminal would act on are written as \u{1b}, so that every row is one line.
import { profileTypes } from "#schema/frame-kinds.ts";
import { csvCell } from "../../csv-cell.ts";
import { printable } from "../../printable.ts";
import type { Frame } from "../stacks.ts";
import type { ProfileTree } from "./profile-tree.ts";

export function* csvParts({ profileType, frames, parent, frame, self, selfCount, total, count }: ProfileTree): Generator<string> {
  const unit = profileTypes[profileType].unit === "ns" ? "_ns" : "";
  yield `node,parent,depth,kind,name,module,module_class,file,line,mapping,self${unit},total${unit},self_calls,total_calls\r\n`;
  yield `0,,0,root,all,,,,,,${self[0] ?? 0n},${total[0] ?? 0n},${selfCount[0] ?? 0n},${count[0] ?? 0n}\r\n`;
  const own = frames.map(({ file, line, mapping }) => `${cell(file)},${line > 0 ? line : ""},${cell(mapping)}`);
  const named = frames.map(({ kind, name }) => `${kind},${cell(name)}`);
  const modules = frames.map((one) => (one.kind === "layer" ? moduleCells(one) : undefined));
  const depth = new Uint32Array(parent.length);
  const module = new Int32Array(parent.length).fill(-1); // node → frame of its innermost module
  for (let node = 1; node < parent.length; node++) {
    const above = parent[node]!;
    depth[node] = depth[above]! + 1;
    module[node] = modules[frame[node]!] === undefined ? module[above]! : frame[node]!;
    yield `${node},${above},${depth[node]!},${named[frame[node]!]!},${modules[module[node]!] ?? ","},${own[frame[node]!]!},${self[node]!},${total[node]!},${selfCount[node]!},${count[node]!}\r\n`;
  }
}

const moduleCells = ({ modulePath, moduleClass }: Frame) => `${cell(modulePath)},${cell(moduleClass)}`;
const cell = (text: string) => csvCell(printable(text));
