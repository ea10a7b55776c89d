// The model key: what one process knows of its model before anything is merged (docs/shape-format.md). Layer frames, sightings and shape parts carry it.
import { sha256Hex } from "../sha256.ts";
import { escapeField } from "./module-text.ts";

export interface ModelKeyFields {
  rootClass: string;
  architecture: string; // "" when unknown, as the next three
  configDigest: string; // 64 hex digits
  quantisation: string;
  name: string; // served name, else name_or_path
  ppSize: number;
}

// 32 lower-case hex digits.
export function modelKey({ rootClass, architecture, configDigest, quantisation, name, ppSize }: ModelKeyFields): string {
  const fields = [rootClass, architecture, configDigest, quantisation, name].map(escapeField);
  return sha256Hex(["lamella-model\t1", ...fields, ppSize, ""].join("\n")).slice(0, 32);
}
