// The fields of opentelemetry.proto.profiles.v1development.ProfilesData that are read, and their numbers in versions 1.8 to 1.11 of the schema. Names are those
// of 1.11 in its JSON form; texts, functions, locations, mappings, stacks and attributes are indices into the dictionary, where row 0 means "not set".
import type { Integer, MessageRule } from "../protobuf-message.ts";

export type OtlpProfiles = { resourceProfiles: OtlpResource[]; dictionary: OtlpDictionary };
export type OtlpResource = { resource: { attributes: OtlpAttribute[] } | null; scopeProfiles: { profiles: OtlpProfile[] }[] };
export type OtlpAttribute = { key: string; value: { stringValue: string } | null };

export type OtlpProfile = {
  sampleType: OtlpValueType | null;
  samples: OtlpSample[];
  timeUnixNano: Integer;
  durationNano: Integer;
  periodType: OtlpValueType | null;
  period: Integer;
};
export type OtlpValueType = { typeStrindex: Integer; unitStrindex: Integer };
export type OtlpSample = {
  stackIndex: Integer;
  attributeIndices: Integer[];
  values: Integer[]; // empty: one for each timestamp
  timestampsUnixNano: Integer[];
};

export type OtlpDictionary = {
  mappingTable: { memoryStart: Integer; fileOffset: Integer; filenameStrindex: Integer }[];
  locationTable: { mappingIndex: Integer; address: Integer; lines: { functionIndex: Integer; line: Integer }[]; attributeIndices: Integer[] }[]; // lines innermost first
  functionTable: { nameStrindex: Integer; systemNameStrindex: Integer; filenameStrindex: Integer; startLine: Integer }[];
  stringTable: string[];
  attributeTable: { keyStrindex: Integer; value: { stringValue: string } | null }[];
  stackTable: { locationIndices: Integer[] }[]; // leaf first
};

const anyValue: MessageRule = { 1: ["stringValue", "text"] };
const valueType: MessageRule = { 1: ["typeStrindex", "int64"], 2: ["unitStrindex", "int64"] };

// Two numberings of a sample's fields: 1.10 moved `values` from 2 to 4 and the attributes from 3 to 2.
export const sampleRules = {
  "1.8": { 1: ["stackIndex", "int64"], 2: ["values[]", "int64"], 3: ["attributeIndices[]", "int64"], 5: ["timestampsUnixNano[]", "fixed64"] },
  "1.10": { 1: ["stackIndex", "int64"], 2: ["attributeIndices[]", "int64"], 4: ["values[]", "int64"], 5: ["timestampsUnixNano[]", "fixed64"] },
} as const satisfies Record<string, MessageRule>;

export function profilesRule(sample: MessageRule): MessageRule {
  const profile: MessageRule = {
    1: ["sampleType", valueType], 2: ["samples[]", sample], 3: ["timeUnixNano", "fixed64"], 4: ["durationNano", "uint64"], 5: ["periodType", valueType], 6: ["period", "int64"],
  };
  const attribute: MessageRule = { 1: ["key", "text"], 2: ["value", anyValue] };
  return {
    1: ["resourceProfiles[]", { 1: ["resource", { 1: ["attributes[]", attribute] }], 2: ["scopeProfiles[]", { 2: ["profiles[]", profile] }] }],
    2: ["dictionary", dictionary],
  };
}

const dictionary: MessageRule = {
  1: ["mappingTable[]", { 1: ["memoryStart", "uint64"], 3: ["fileOffset", "uint64"], 4: ["filenameStrindex", "int64"] }],
  2: ["locationTable[]", { 1: ["mappingIndex", "int64"], 2: ["address", "uint64"], 3: ["lines[]", { 1: ["functionIndex", "int64"], 2: ["line", "int64"] }], 4: ["attributeIndices[]", "int64"] }],
  3: ["functionTable[]", { 1: ["nameStrindex", "int64"], 2: ["systemNameStrindex", "int64"], 3: ["filenameStrindex", "int64"], 4: ["startLine", "int64"] }],
  5: ["stringTable[]", "text"],
  6: ["attributeTable[]", { 1: ["keyStrindex", "int64"], 2: ["value", anyValue] }],
  7: ["stackTable[]", { 1: ["locationIndices[]", "int64"] }],
};
