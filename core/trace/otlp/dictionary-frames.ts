// Frames of every stack of an OTLP dictionary, root first. Kinds come from the attribute profile.frame.type where a location has it, else from its mapping.
import { addressFrame, codeKind, type Mapping } from "../mapped-address.ts";
import type { Integer } from "../protobuf-message.ts";
import type { StackExecution, StackFrame } from "../stack-execution.ts";
import type { OtlpDictionary } from "./otlp-message.ts";

const kindOfType: Record<string, StackFrame["kind"]> = { kernel: "os_kernel", cpython: "python" };

export function stackFrames(dictionary: OtlpDictionary, execution: StackExecution): number[][] {
  const text = (index: Integer): string => dictionary.stringTable[Number(index)] ?? "";
  const mappings = dictionary.mappingTable.map((one): Mapping => ({ start: BigInt(one.memoryStart), offset: BigInt(one.fileOffset), file: text(one.filenameStrindex) }));
  const locations = dictionary.locationTable.map(({ mappingIndex, address, lines, attributeIndices }) => {
    const mapping = Number(mappingIndex) > 0 ? mappings[Number(mappingIndex)] : undefined;
    const kind = kindOfType[frameType(attributeIndices)];
    const frames = lines.flatMap(({ functionIndex, line }) => {
      const found = dictionary.functionTable[Number(functionIndex)];
      const name = found === undefined ? "" : text(found.nameStrindex) || text(found.systemNameStrindex);
      if (found === undefined || name === "") return [];
      const file = text(found.filenameStrindex);
      const first = Number(found.startLine) || Number(line);
      return [execution.frame({ kind: kind ?? codeKind(mapping?.file ?? "", file), name, file, line: first > 0 && first < 2 ** 32 ? first : 0, mapping: mapping?.file ?? "" })];
    });
    if (frames.length > 0) return frames.reverse();
    const plain = addressFrame(BigInt(address), mapping);
    return [execution.frame({ ...plain, kind: kind ?? plain.kind })];
  });
  return dictionary.stackTable.map(({ locationIndices }) => locationIndices.toReversed().flatMap((index) => locations[Number(index)] ?? []));

  function frameType(attributes: Integer[]): string {
    for (const index of attributes) {
      const attribute = dictionary.attributeTable[Number(index)];
      if (attribute !== undefined && text(attribute.keyStrindex) === "profile.frame.type") return attribute.value?.stringValue ?? "";
    }
    return "";
  }
}
