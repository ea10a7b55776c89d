// Errors on the wire: RFC 9457 application/problem+json with our code list, and positions where the input has them.
import { z } from "zod";

// One mistake inside a text the caller sent (a filter, a search), with its place in UTF-16 code units.
export const textProblem = z.object({
  kind: z.string().describe("what is wrong, as a word, e.g. unexpected_token"),
  message: z.string().describe("one sentence for a person"),
  from: z.int().describe("first UTF-16 code unit"),
  to: z.int().describe("one past the last"),
  expected: z.array(z.string()).describe("what would have been right here").optional(),
  found: z.string().optional(),
  didYouMean: z.string().optional(),
});
export type TextProblem = z.infer<typeof textProblem>;

export const problem = z.object({
  type: z.string().describe("path of the page that explains the code, e.g. /docs/errors#filter_syntax"),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string().describe("what, where and how to fix it"),
  requestId: z.string(),
  problems: z.array(textProblem).optional(),
});
export type Problem = z.infer<typeof problem>;
