// A body of type multipart/form-data: the query and its parameters, where a URL would be too long for them. ClickHouse takes the fields `query` and `param_…`;
// its files (external tables) are not served here.
import { exception } from "./exception.ts";

const fieldBytesMax = 131_072; // ClickHouse's http_max_field_value_size: what passes here must pass there

export interface FormBody {
  query: string;
  params: Map<string, string>; // as in the URL, in ClickHouse's escaped text form
}

export const isForm = (contentType: string | undefined) => /^multipart\/form-data\s*;/i.test(contentType ?? "");

export async function readForm(body: Buffer, contentType: string): Promise<FormBody> {
  const form = await fieldsOf(body, contentType);
  const read: FormBody = { query: "", params: new Map() };
  for (const [name, value] of form) {
    if (typeof value !== "string") throw exception(48, `the file "${name}" of the form is not served: external tables are not`);
    if (Buffer.byteLength(value) > fieldBytesMax) throw exception(1000, `Field value too long: ${name} has more than ${fieldBytesMax} bytes`);
    if (name === "query") read.query += value;
    else if (/^param_\w+$/.test(name)) read.params.set(name.slice("param_".length), value);
    else throw exception(36, `"${name}" is no field of a query: it has query and param_NAME`);
  }
  return read;
}

async function fieldsOf(body: Buffer, contentType: string) {
  try {
    return await new Response(body as BodyInit, { headers: { "content-type": contentType } }).formData();
  } catch (error) {
    throw exception(36, `the body is not multipart/form-data: ${error instanceof Error ? error.message : String(error)}`);
  }
}
