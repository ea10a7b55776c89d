// A schema's first complaint about a value, as "steps[3].kernels is 1.5, not a whole number …", or null. Asked for a whole value zod lists every complaint: half a million wrong elements
// in 1 MB of JSON took 4.9 s and 240 MB, more than an isolate has. Recursion is as deep as the schema, never as the value.
import { z } from "zod";
import { type Described, expectation, shown } from "./expectation.ts";

export function firstIssue(schema: z.ZodType, value: unknown, at = ""): string | null {
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return `${at} is not a list`;
    const element = schema.element as z.ZodType;
    if (!(element instanceof z.ZodObject)) {
      const wrong = value.findIndex((one) => !element.safeParse(one).success);
      return wrong < 0 ? null : firstIssue(element, value[wrong], `${at}[${wrong}]`);
    }
    return firstOf(value.entries(), ([row, one]) => firstIssue(element, one, `${at}[${row}]`));
  }
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return `${at === "" ? "it" : at} is not an object`;
    const below = at === "" ? "" : `${at}.`;
    if (schema instanceof z.ZodRecord) return firstOf(Object.entries(value), ([name, one]) => firstIssue(schema.valueType as z.ZodType, one, `${below}${name.slice(0, 60)}`));
    return firstOf(Object.entries(schema.shape as Record<string, z.ZodType>), ([name, part]) => firstIssue(part, (value as Record<string, unknown>)[name], `${below}${name}`));
  }
  return schema.safeParse(value).success ? null : `${at} is ${shown(value)}, not ${expectation(z.toJSONSchema(schema, { unrepresentable: "any" }) as Described)}`;
}

function firstOf<T>(parts: Iterable<T>, issueOf: (part: T) => string | null): string | null {
  for (const part of parts) {
    const issue = issueOf(part);
    if (issue !== null) return issue;
  }
  return null;
}
