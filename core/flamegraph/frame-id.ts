// Ids of frames: 60 hash bits above 4 of the kind. The store writes them in decimal digits, the wire in hex.
import { type FrameKindName, frameKindOfNumber } from "#schema/frame-kinds.ts";

export function hexFrameId(decimal: string): string {
  return BigInt(decimal).toString(16);
}

export function decimalFrameId(hex: string): string {
  return BigInt(`0x${hex}`).toString();
}

// The kind is read from the id, the one place that every reader shares.
export function frameKindOf(decimal: string): FrameKindName {
  return frameKindOfNumber(Number(BigInt(decimal) & 15n)) ?? "native";
}

// `name`: from the dictionary; "" where it does not have the frame, which is then shown as what it is.
export function frameNameOf({ frame, name }: { readonly frame: string; readonly name: string }): string {
  return name === "" ? `(frame ${hexFrameId(frame)} is not stored)` : name;
}
