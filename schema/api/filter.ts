// GET /t/{tenant}/api/filter/complete: what may stand at the cursor of a filter, with the values that the data has; and what is wrong with the text so far.
import { z } from "zod";
import { pages } from "../fields.ts";
import { limits } from "../limits.ts";
import { textProblem } from "./problem.ts";
import { timeRange, timeRangeQuery } from "./time-range.ts";

export const filterCompleteQuery = timeRangeQuery.extend({
  from: z.string().default("-7d"),
  text: z.string().max(limits.filterBytesMax).meta({ examples: ['host.name == "no'] }).describe("the filter so far, whole"),
  cursor: z.coerce.number().int().min(0).max(limits.filterBytesMax).optional().describe("UTF-16 code units before the cursor; default: the end of the text"),
  page: z.enum(pages).default("flamegraph").describe("whose fields: models takes those a model can be scoped by"),
});

export const filterCompletion = z.object({
  slot: z.enum(["field", "argument", "operator", "in", "list", "method", "call", "value", "separator", "close", "connective"]).describe("what stands at the cursor"),
  field: z.string().nullable().describe("of the condition at the cursor"),
  operator: z.string().nullable().describe("of a value"),
  expected: z.array(z.string()).describe("what may stand there, in the words of the problems"),
  replace: z.object({ from: z.int(), to: z.int() }).describe("UTF-16 code units that an accepted option takes the place of"),
  typed: z.string().describe("the word so far; of a value: what its quotes hold"),
  options: z.array(z.object({
    text: z.string().describe("ready to put in"),
    value: z.string().nullable().describe("the value itself; null for a word of the language"),
    count: z.int().nullable().describe("of `counts` in `counted`; 0: seen in the range, before `counted`; null for a word"),
  })),
  counts: z.enum(["samples", "processes"]).nullable(),
  counted: timeRange.nullable().describe("what the counts are of: the range in whole hours or days; null where nothing is counted"),
  more: z.boolean().describe("there are more values than are listed"),
  problems: z.array(textProblem).describe("of the text as it stands"),
  canonical: z.string().nullable().describe("the one canonical text; null while there are problems"),
});
export type FilterCompletion = z.infer<typeof filterCompletion>;
