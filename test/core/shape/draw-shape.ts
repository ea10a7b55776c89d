// Shapes drawn as pictures: one line per module, indented by what holds it: `<name> <Class> <tensor>…`. The root has no name. `0..63` stands for 64 equal
// children. A tensor is `weight:bfloat16[8,4]`; `~` before it makes it a buffer, `%` quantisation state; `qweight:int32[640,5120]/4=26214400` is packed.
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";

const elementBytes: Record<string, number> = { bfloat16: 2, float16: 2, float32: 4, float8_e4m3fn: 1, int32: 4, int64: 8, uint8: 1 };

export function drawShape(picture: string, aliases: Record<string, string> = {}, architecture = ""): ShapeBody {
  const lines = picture.split("\n").filter((line) => line.trim() !== "");
  const modules: ModuleRow[] = [];
  const rowOfStructure = new Map<string, number>();
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  let next = 0;

  function readModule(named: boolean): { names: string[]; row: number } {
    const line = lines[next++]!;
    const words = line.trim().split(/ +/);
    const name = named ? words.shift()! : "";
    const [className, ...tensors] = words;
    const children: ModuleRow["children"] = [];
    while (next < lines.length && indentOf(lines[next]!) > indentOf(line)) {
      const child = readModule(true);
      for (const childName of child.names) children.push({ name: childName, module: child.row });
    }
    const structure = JSON.stringify([className, tensors, children]);
    let row = rowOfStructure.get(structure);
    if (row === undefined) {
      row = modules.push({ className: className!, tensors: tensors.map(drawTensor), children }) - 1;
      rowOfStructure.set(structure, row);
    }
    const range = /^(\d+)\.\.(\d+)$/.exec(name);
    if (range === null) return { names: [name], row };
    const [first, last] = [Number(range[1]), Number(range[2])];
    return { names: Array.from({ length: last - first + 1 }, (_, i) => String(first + i)), row };
  }

  const { row: root } = readModule(false);
  return { architecture, modules, root, aliases: Object.entries(aliases).map(([path, target]) => ({ path, target })) };
}

function drawTensor(text: string): TensorRow {
  const match = /^([~%]?)([^:]+):(\w+)\[([\d,]*)\](?:\/(\d+)=(\d+))?$/.exec(text);
  if (match === null) throw new Error(`not a tensor: ${text}`);
  const [, mark, name, dtype, sizes, packedBits = "0", logicalNumel = "0"] = match;
  const dims = sizes === "" ? [] : sizes!.split(",").map(Number);
  const bytes = dims.reduce((product, dim) => product * dim, elementBytes[dtype!] ?? 0);
  const role = mark === "~" ? "buffer" : mark === "%" ? "quant_state" : "parameter";
  return { name: name!, role, dtype: dtype!, dims, packedBits: Number(packedBits), logicalNumel: Number(logicalNumel), bytes };
}
