// pprof and OTLP profiles are protobuf, which has no magic: the top-level fields tell them apart.
import { fieldsOf, WireError } from "#core/wire.ts";

export function protobufKind(bytes: Uint8Array): "pprof" | "otlp" | undefined {
  const fields = new Set<number>();
  try {
    for (const { number, wireType } of fieldsOf(bytes)) {
      if (number > 15 || (wireType !== 2 && number < 9)) return undefined;
      fields.add(number);
    }
  } catch (error) {
    // A pprof profile that is cut off is told from noise by what came before the cut.
    if (!(error instanceof WireError)) throw error;
    return fields.has(1) && fields.has(2) && (fields.has(3) || fields.has(4)) ? "pprof" : undefined;
  }
  if (fields.has(6) && fields.has(1)) return "pprof"; // texts and value types
  return fields.has(1) && fields.has(2) && fields.size === 2 ? "otlp" : undefined;
}
