// Values of filter fields: of one field by a prefix, and at the cursor of a filter.
import { fieldValues as fieldValuesQuery, type ValuesWanted, type ValueTest } from "#clickhouse/field-values.ts";
import { readFilter } from "#core/filter/check.ts";
import { complete, type Completion, valueOption } from "#core/filter/complete.ts";
import type { Operator } from "#core/filter/filter.ts";
import { print } from "#core/filter/printer.ts";
import { utf8Bytes } from "#core/filter/problem.ts";
import { expectedAt } from "#core/filter/slot.ts";
import { literalOf } from "#core/filter/literal-pattern.ts";
import type { FilterCompletion } from "#schema/api/filter.ts";
import { fieldNames, fieldsOfPage, isFieldName, type Page } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type AnyContext, type Handler, rowsOf } from "../route-context.ts";
import { iso, rangeOf } from "./selection.ts";

type Context = AnyContext & { readonly query: { readonly from: string; readonly to: string } };

export const fieldValues: Handler<"fieldValues"> = async (context) => {
  const { field, prefix } = context.query;
  if (!isFieldName(field)) throw new ApiError("parameter_invalid", { detail: `\`field\` is "${field.slice(0, 60)}", which is no filter field. Fields: ${fieldNames.join(", ")}.` });
  const { rows } = await valuesOf(context, { field, table: "samples", test: "startsWith", text: prefix, bytesMax: limits.nameBytesMax, limit: limits.fieldValuesMax });
  return { field, values: rows.map(({ value, count }) => ({ value, samples: count })) };
};

export const filterComplete: Handler<"filterComplete"> = async (context) => {
  const { text, page } = context.query;
  const cursor = context.query.cursor ?? text.length;
  if (cursor > text.length) throw new ApiError("parameter_invalid", { detail: `\`cursor\` is ${cursor}, and the text has ${text.length} UTF-16 code units; write a number up to that.` });
  rangeOf(context.query, context.nowMs); // refused whatever is asked for
  const read = readFilter(text, page);
  const completion = complete(text, cursor, page);
  const { slot, replace, typed } = completion;
  const values = await valuesAt(context, completion, page, limits.filterBytesMax - utf8Bytes(text.slice(0, replace.from) + text.slice(replace.to)));
  return {
    slot: slot.kind, field: "field" in slot ? slot.field : null, operator: slot.kind === "value" ? slot.operator : null, expected: [...expectedAt(slot)], replace, typed,
    options: values?.options ?? completion.options.map((option) => ({ text: option, value: null, count: null })), counts: values?.counts ?? null, counted: values ? { from: iso(values.counted.fromS * 1000), to: iso(values.counted.toS * 1000) } : null,
    more: values?.more ?? false, problems: read.ok ? [] : [...read.error], canonical: read.ok ? print(read.value) : null,
  };
};

type Values = Pick<FilterCompletion, "options" | "counts" | "more"> & { readonly counted: { readonly fromS: number; readonly toS: number } };

// `bytesLeft`: what the filter has room for.
async function valuesAt(context: Context, { slot, typed, options: closed }: Completion, page: Page, bytesLeft: number): Promise<Values | undefined> {
  if (slot.kind !== "value" || !isFieldName(slot.field) || !fieldsOfPage(page).includes(slot.field)) return undefined;
  const { field, operator } = slot;
  const text = operator === "matches" ? literalOf(typed) : { head: "" as const, text: typed };
  if (text === undefined) return undefined; // a pattern that is more than a text: nothing says which values it is to become
  const table = page === "models" ? "sightings" : "samples";
  const { rows, counted } = await valuesOf(context, { field, table, test: testOf[operator], text: text.text, bytesMax: Math.max(0, bytesLeft), limit: limits.fieldValuesMax + 1 });
  const seen = rows.slice(0, limits.fieldValuesMax).map(({ value, count }) => ({ text: valueOption(operator, value, text.head), value, count }));
  // A closed list is offered whole, what is not in the data last.
  const unseen = closed.filter((option) => !seen.some((one) => one.text === option)).map((option) => ({ text: option, value: option.slice(1, -1), count: 0 }));
  return { options: [...seen, ...unseen], counts: table === "sightings" ? "processes" : "samples", counted, more: rows.length > limits.fieldValuesMax };
}

const testOf: Readonly<Record<Operator, ValueTest>> = {
  "==": "startsWith", "!=": "startsWith", in: "startsWith", startsWith: "startsWith", contains: "contains", endsWith: "endsWith", matches: "startsWith", has: "startsWith",
};

async function valuesOf(context: Context, wanted: Omit<ValuesWanted, "scope" | "fromS" | "toS" | "nowS">): Promise<{ rows: { value: string; count: number }[]; counted: { fromS: number; toS: number } }> {
  const range = rangeOf(context.query, context.nowMs);
  const query = fieldValuesQuery({ ...wanted, scope: context.caller.scope, ...range, nowS: Math.floor(context.nowMs / 1000) });
  return { rows: await rowsOf(context, query, "field-values"), counted: query.counted };
}
