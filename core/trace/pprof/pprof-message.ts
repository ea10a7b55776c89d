// The fields of perftools.profiles.Profile that are read, by their numbers in profile.proto. Texts are indices into stringTable.
import type { Integer, MessageRule } from "../protobuf-message.ts";

export type PprofProfile = {
  sampleType: PprofValueType[];
  sample: { locationId: Integer[]; value: Integer[]; label: { key: Integer; str: Integer; num: Integer }[] }[]; // locations leaf first
  mapping: { id: Integer; start: Integer; limit: Integer; offset: Integer; file: Integer }[];
  location: { id: Integer; mappingId: Integer; address: Integer; line: { functionId: Integer; line: Integer }[] }[]; // lines innermost first: the others inlined it
  function: { id: Integer; name: Integer; systemName: Integer; file: Integer; startLine: Integer }[];
  stringTable: string[];
  timeNs: Integer;
  durationNs: Integer;
  periodType: PprofValueType | null;
  period: Integer;
  comment: Integer[];
  defaultSampleType: Integer;
};
export type PprofValueType = { type: Integer; unit: Integer };

const valueType: MessageRule = { 1: ["type", "int64"], 2: ["unit", "int64"] };
const label: MessageRule = { 1: ["key", "int64"], 2: ["str", "int64"], 3: ["num", "int64"] };
const line: MessageRule = { 1: ["functionId", "uint64"], 2: ["line", "int64"] };

export const pprofProfile: MessageRule = {
  1: ["sampleType[]", valueType],
  2: ["sample[]", { 1: ["locationId[]", "uint64"], 2: ["value[]", "int64"], 3: ["label[]", label] }],
  3: ["mapping[]", { 1: ["id", "uint64"], 2: ["start", "uint64"], 3: ["limit", "uint64"], 4: ["offset", "uint64"], 5: ["file", "int64"] }],
  4: ["location[]", { 1: ["id", "uint64"], 2: ["mappingId", "uint64"], 3: ["address", "uint64"], 4: ["line[]", line] }],
  5: ["function[]", { 1: ["id", "uint64"], 2: ["name", "int64"], 3: ["systemName", "int64"], 4: ["file", "int64"], 5: ["startLine", "int64"] }],
  6: ["stringTable[]", "text"],
  9: ["timeNs", "int64"],
  10: ["durationNs", "int64"],
  11: ["periodType", valueType],
  12: ["period", "int64"],
  13: ["comment[]", "int64"],
  14: ["defaultSampleType", "int64"],
};
