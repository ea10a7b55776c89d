// What a request says beside its path, held to the route's zod schema. A refusal is worded here: zod speaks of types ("expected number, received NaN"), a caller
// wants to know which parameter, what it got, what is allowed, and an example.
import { z } from "zod";
import { type Described, expectation, shown } from "#schema/expectation.ts";
import { ApiError } from "./problem.ts";

export type ParameterPlace = "query" | "body";

// The parsed value, or `parameter_invalid` with a sentence for each thing that is wrong.
export function parameters(schema: z.ZodType | undefined, value: unknown, place: ParameterPlace): unknown {
  if (schema === undefined) return {};
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const described = z.toJSONSchema(schema, { unrepresentable: "any" }) as Described;
  const { issues } = outcome.error;
  const sentences = new Set(issues.slice(0, toldMax).map((issue) => sentence(issue, described, value, place, patterns(schema))));
  throw new ApiError("parameter_invalid", { detail: [...sentences, ...(issues.length > toldMax ? [`${issues.length - toldMax} more are wrong.`] : [])].join(" ") });
}

const toldMax = 4; // a list of 64 kB can have 10,000 wrong elements

// What a field with a pattern takes, in the schema's own words: told only to one that does not fit it, and no pattern takes a control character.
function patterns(schema: z.ZodType): (name: string) => string | undefined {
  return (name) => schema.safeParse({ [name]: "\u0000" }).error?.issues.find(({ code, path }) => code === "invalid_format" && path[0] === name)?.message;
}

function sentence(issue: z.core.$ZodIssue, root: Described, value: unknown, place: ParameterPlace, pattern: (name: string) => string | undefined): string {
  const known = `It has ${Object.keys(root.properties ?? {}).join(", ")}.`;
  if (issue.code === "unrecognized_keys") return `${issue.keys.slice(0, toldMax).map((key) => `\`${key.slice(0, 60)}\``).join(", ")} ${issue.keys.length === 1 ? "is no field" : "are no fields"} of the ${place}. ${known}`;
  if (issue.path.length === 0) return `The ${place} is ${shown(value)}; write an object. ${known}`;
  let [at, given, name] = [root, value, ""];
  for (const key of issue.path) {
    at = (typeof key === "number" ? at.items : at.properties?.[String(key)]) ?? {};
    given = (given as Record<PropertyKey, unknown> | undefined)?.[key];
    name += typeof key === "number" ? `[${key}]` : `${name === "" ? "" : "."}${String(key)}`;
  }
  const allowed = (issue.code === "invalid_format" ? issue.message : pattern(name)) ?? expectation(at);
  return given === undefined ? `\`${name}\` is missing in the ${place}; write ${allowed}.` : `\`${name}\` in the ${place} is ${shown(given)}; write ${allowed}.`;
}
