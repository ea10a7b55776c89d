// What each error means and what to do about it, for docs/errors.md (schema/errors-markdown.ts). Kept apart from errors.ts so that no text of it is shipped.
import type { ErrorCode } from "./errors.ts";

export const errorHelp: Readonly<Record<ErrorCode, { readonly meaning: string; readonly fix: string }>> = {
  token_missing: {
    meaning: "The request carried neither a token nor a browser session.",
    fix: "Send `Authorization: Bearer lml_…`, or sign in with the link that `npm start` prints.",
  },
  token_invalid: {
    meaning: "The token is malformed, mistyped, unknown, expired or revoked.",
    fix: "Copy the whole token again; if it is the right one, create a new one with `lamella token create`. After many failures in a minute an address has to wait.",
  },
  session_invalid: {
    meaning: "The browser's sign-in has expired, or a sign-in link was used twice or too late.",
    fix: "Sign in again. On the embedded stack, press Enter in the terminal where `npm start` runs for a fresh link.",
  },
  scope_missing: {
    meaning: "The token is valid and may not do this. `detail` names the scope that is needed and those the token has.",
    fix: "Create a token with that scope: `lamella token create --scope read`. A token cannot give away a scope that it lacks itself.",
  },
  role_missing: {
    meaning: "You are signed in, and your role in this tenant does not include what this needs.",
    fix: "Ask an owner of the tenant to do it or to change your role.",
  },
  flag_off: {
    meaning: "The page or route exists and is switched off for this tenant. Data is collected all the same.",
    fix: "Switch it on under Settings → Feature Flags, or with `lamella flag set <flag> on`.",
  },
  origin_forbidden: {
    meaning: "A change was asked for with a browser session from a page that is not ours.",
    fix: "Use the pages themselves. Scripts use a token instead of a session.",
  },
  not_found: {
    meaning: "There is nothing at this address, or it belongs to another tenant: the two answers are the same on purpose.",
    fix: "Check the address, and that the token belongs to the tenant in it. An execution that is still arriving answers so too, with `Retry-After`.",
  },
  model_not_found: {
    meaning: "No process ran this model in the time range.",
    fix: "Widen the range, or check the id: 64 hex digits of a shape, or 32 of a model key.",
  },
  shape_not_stored: {
    meaning: "The model was reported, and its module tree has not arrived yet, or pipeline stages of it are missing.",
    fix: "Retry after the seconds in `Retry-After`. If it stays so, look at the missing stages on the Models page and at the quarantine.",
  },
  record_not_stored: {
    meaning: "The execution is stored and shows in the flamegraph, but its client was too old to send what every module did. Nothing can make that up from the stacks.",
    fix: "Import the file again as a new execution: `lamella import FILE --again`.",
  },
  module_not_found: {
    meaning: "The shape is stored and has no module at this path. `detail` names the nearest module above it that exists.",
    fix: "Paths are dotted from the root, e.g. `model.layers.17.self_attn`; search for one with `lamella model NAME --find WORDS`. A tensor is shown with the module that holds it.",
  },
  method_not_allowed: {
    meaning: "The path exists and takes other methods. `detail` lists them.",
    fix: "Use one of the methods listed; `/openapi.json` has every route.",
  },
  body_too_large: {
    meaning: "The body is over a bound, as it was sent or after gzip was undone. Nothing of it was stored.",
    fix: "Send it compressed, and in more, smaller uploads. An execution goes in parts; `lamella import` cuts it by itself.",
  },
  unsupported_media_type: {
    meaning: "`Content-Type` or `Content-Encoding` is not one that this route reads.",
    fix: "Uploads are `application/x-protobuf`, as they are or with `Content-Encoding: gzip`, one member. Everything else is `application/json`.",
  },
  body_undecodable: {
    meaning: "The body is not the message it should be. `detail` names the table, the column and the row, or the byte where reading stopped.",
    fix: "Compare with `schema/proto/lamella/v1`, where each rule is written at its field. The same bytes will be refused again: do not retry.",
  },
  filter_syntax: {
    meaning: "The filter could not be read. `problems` has each mistake with its place and what would be right there.",
    fix: 'Conditions look like `host.name == "node-7"` and are joined by `&&`, `||`, `!` and parentheses.',
  },
  filter_field_unsupported: {
    meaning: "The filter is well formed and names a field that this page does not have.",
    fix: "Use a field of the list in `problems`, or ask the page that has it: frame fields belong to the flamegraph.",
  },
  filter_regex_invalid: {
    meaning: "The pattern of a `matches()` is not a regular expression of RE2.",
    fix: "RE2 has no look-around and no back-references. `contains`, `startsWith` and `endsWith` need no pattern.",
  },
  search_invalid: {
    meaning: "A search, for modules or in a flamegraph, could not be read. `problems` has the mistake with its place.",
    fix: "For modules write words, all of which must match; in a flamegraph join with commas what names may contain. `/…/` is a regular expression without look-around and back-references, so that no search can run for ever.",
  },
  time_range_invalid: {
    meaning: "`from` or `to` could not be read, the end is not after the start, or the range is longer than may be asked for.",
    fix: "Give Unix seconds, an ISO time or a distance such as `-1h`; ask for a shorter range.",
  },
  parameter_invalid: {
    meaning: "A parameter of the query or the path is unknown, given twice, or has a value that it cannot have. `detail` names it.",
    fix: "Compare with the route in `/openapi.json`.",
  },
  conflict: {
    meaning: "What was to be changed has changed meanwhile, or what was to be created exists.",
    fix: "Read it again and repeat the change if it is still wanted.",
  },
  limit_exceeded: {
    meaning: "A bound was exceeded. `detail` names the bound as `schema/limits.ts` does, what it is, and what was found. Nothing is ever cut to fit.",
    fix: "Send or ask for less: more and smaller uploads, shorter names, fewer tags. When a time is out of bounds, check the clock of the sender.",
  },
  query_too_heavy: {
    meaning: "The query went over its budget of time, memory, rows read or rows answered, and was ended.",
    fix: "Narrow the time range, or add a filter on the process, the deployment or the host.",
  },
  query_budget_spent: {
    meaning: "All queries of the tenant together have used the seconds of execution or the rows read that they have in a minute. Uploads go on being stored, and other tenants do not notice.",
    fix: "Wait for the seconds in `Retry-After`, and ask for less: a shorter time range, a filter on the process, the deployment or the host, or fewer queries at once.",
  },
  rate_limited: {
    meaning: "More requests came than the token, the tenant or the address may send.",
    fix: "Wait for the seconds in `Retry-After`. Agents keep what they could not send and send it later.",
  },
  store_unavailable: {
    meaning: "The store or the queue does not answer at the moment, or the store runs as many queries at once as it may, or as many of the tenant. An upload answered with this was not taken.",
    fix: "Retry after the seconds in `Retry-After`. Sending the same bytes again is safe: they count once.",
  },
  internal: {
    meaning: "Something went wrong on our side, and the reason is in our log under the request id.",
    fix: "Quote `requestId` when you report it.",
  },
};
