// Which version of the OTLP schema wrote a protobuf file. The message does not say, but the numbers of a sample's fields changed: in 1.8 and 1.9 field 2 is
// `values`, 3 (packed) the attributes and 4 a link; since 1.10 field 2 is the attributes, 3 a link and 4 (packed) `values`. Undefined: a draft before 1.8.
import { countNumbers, type Field, fieldsOf } from "#core/wire.ts";
import type { sampleRules } from "./otlp-message.ts";

export function schemaOf(bytes: Uint8Array): keyof typeof sampleRules | undefined {
  let doubtful = 0; // samples with nothing but field 2 and timestamps
  let likeValues = 0; // of those, with as many numbers in field 2 as timestamps: 1.8's values
  for (const profile of within(bytes, within(bytes, within(bytes, [{ number: 0, wireType: 2, start: 0, end: bytes.length }], 1), 2), 2)) {
    for (const field of fieldsOf(bytes, profile.start, profile.end)) if (field.number === 3 && field.wireType !== 1) return undefined;
    for (const sample of within(bytes, [profile], 2)) {
      const fields = new Map([...fieldsOf(bytes, sample.start, sample.end)].map((field) => [field.number, field]));
      if (fields.get(4)?.wireType === 2 || fields.get(3)?.wireType === 0) return "1.10";
      if (fields.get(3)?.wireType === 2 || fields.get(4)?.wireType === 0) return "1.8";
      const [second, times] = [fields.get(2), fields.get(5)];
      if (second === undefined) continue;
      doubtful++;
      if (times === undefined || (times.end - times.start) / 8 === countNumbers(bytes, second)) likeValues++;
    }
  }
  return doubtful > 0 && likeValues === doubtful ? "1.8" : "1.10";
}

function* within(bytes: Uint8Array, messages: Iterable<Field>, number: number): Generator<Field> {
  for (const { start, end } of messages) for (const field of fieldsOf(bytes, start, end)) if (field.number === number && field.wireType === 2) yield field;
}
