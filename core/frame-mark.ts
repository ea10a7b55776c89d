// What a frame is beyond its name, and what a profile measures, in files of formats that have no field for it: written by our exports, read again by our importers.
// Of a frame only what is set is written.
import { type FrameKindName, frameKindNames, type ProfileTypeName, profileTypeNames } from "#schema/frame-kinds.ts";

export type FrameMark = {
  readonly kind: FrameKindName;
  readonly file: string;
  readonly line: number;
  readonly mapping: string;
  readonly modulePath: string;
  readonly moduleClass: string;
  readonly modelKey: string;
};

const texts = ["file", "mapping", "modulePath", "moduleClass", "modelKey"] as const;

export function frameMark(frame: FrameMark): Partial<FrameMark> {
  const mark: Record<string, string | number> = { kind: frame.kind };
  for (const name of texts) if (frame[name] !== "") mark[name] = frame[name];
  if (frame.line > 0) mark["line"] = frame.line;
  return mark;
}

// Undefined: `value`, parsed JSON from a file, is no mark.
export function readFrameMark(value: unknown): FrameMark | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const mark = value as Record<string, unknown>;
  const kind = frameKindNames.find((name) => name === mark["kind"]);
  if (kind === undefined) return undefined;
  const text = (name: (typeof texts)[number]) => (typeof mark[name] === "string" ? mark[name] : "");
  const line = mark["line"];
  return {
    kind, file: text("file"), line: typeof line === "number" && Number.isInteger(line) && line > 0 && line < 2 ** 32 ? line : 0,
    mapping: text("mapping"), modulePath: text("modulePath"), moduleClass: text("moduleClass"), modelKey: text("modelKey"),
  };
}

// The same as one text.
const prefix = "lamella:";

export function frameMarkText(frame: FrameMark): string {
  return prefix + JSON.stringify(frameMark(frame));
}

export function readFrameMarkText(text: string): FrameMark | undefined {
  if (!text.startsWith(prefix)) return undefined;
  try {
    return readFrameMark(JSON.parse(text.slice(prefix.length)));
  } catch {
    return undefined;
  }
}

const typePrefix = "lamella profile type: ";

export function profileTypeText(type: ProfileTypeName): string {
  return typePrefix + type;
}

export function readProfileTypeText(text: string): ProfileTypeName | undefined {
  return text.startsWith(typePrefix) ? readProfileType(text.slice(typePrefix.length)) : undefined;
}

export function readProfileType(value: unknown): ProfileTypeName | undefined {
  return profileTypeNames.find((name) => name === value);
}
