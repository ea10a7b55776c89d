// What is computed beside a flamegraph: top table, search, time line, modules of a frame, copies of a module. Each chooses what is shown as the flamegraph does.
import { frameById, frameModules as modulesSql } from "#clickhouse/frame-modules.ts";
import { searchedSums, whereMatching } from "#clickhouse/frame-search.ts";
import { moduleSums, rankedSums } from "#clickhouse/ranked-sums.ts";
import { StoreError } from "#clickhouse/store-error.ts";
import { selectionSums, timeline } from "#clickhouse/timeline.ts";
import { decimalFrameId, hexFrameId } from "#core/flamegraph/frame-id.ts";
import { type Search, parseSearch } from "#core/flamegraph/search.ts";
import { copiesOfModule, modulesOfFrame } from "#core/flamegraph/tables/modules.ts";
import { pathPattern } from "#core/flamegraph/tables/path-pattern.ts";
import { searchHits } from "#core/flamegraph/tables/search-hits.ts";
import { defaultStepS, stepsIn, timelinePoints } from "#core/flamegraph/tables/timeline.ts";
import { topTable } from "#core/flamegraph/tables/top.ts";
import { limits } from "#schema/limits.ts";
import { ApiError, notFound } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { profileHead, profileSelection } from "./profile-selection.ts";

export const flamegraphTop: Handler<"flamegraphTop"> = async (context) => {
  const { by, sort, limit } = context.query;
  if (by !== "module" && limit > limits.topRowsMax) throw new ApiError("parameter_invalid", { detail: `\`limit\` is ${limit}; by ${by} it may be at most ${limits.topRowsMax} (topRowsMax).` });
  const profile = await profileSelection(context);
  const rows = await rowsOf(context, rankedSums(profile.selection, by, sort, limit), "flamegraph-top");
  return { ...profileHead(profile), ...topTable(rows, { by, sort, limit }, profile.shown.type) };
};

export const flamegraphSearch: Handler<"flamegraphSearch"> = async (context) => {
  const search = searchOf(context.query.search);
  const profile = await profileSelection(context);
  const rows = await asking(search, () => rowsOf(context, searchedSums(profile.selection, search), "flamegraph-search"));
  return { ...profileHead(profile), search: search.text, ...searchHits(rows[0]!, profile.shown.type) };
};

export const flamegraphTimeline: Handler<"flamegraphTimeline"> = async (context) => {
  const { query } = context;
  const search = query.search === undefined || query.search === "" ? null : searchOf(query.search);
  const profile = await profileSelection(context);
  const { selection, shown } = profile;
  const stepS = shown.execution === null ? stepOf(query.step, selection) : null;
  if (stepS === null && query.step !== undefined) throw new ApiError("parameter_invalid", { detail: "`step` is of live samples. An execution is told apart by the steps it recorded; leave `step` out." });
  const searched = search === null ? selection : { ...selection, where: whereMatching(selection.where, search) };
  const [rows, [whole]] = await Promise.all([
    asking(search, () => rowsOf(context, timeline(searched, stepS === null ? "step" : { seconds: stepS }, limits.timelinePointsMax + 1), "timeline")),
    rowsOf(context, selectionSums(selection), "timeline-whole"),
  ]);
  if (rows.length > limits.timelinePointsMax) throw new ApiError("limit_exceeded", { detail: `The execution has more than ${limits.timelinePointsMax} steps (timelinePointsMax). \`lamella report\` lists steps.` });
  const sums = { value: BigInt(whole!.value), samples: Number(whole!.samples), withoutLayer: BigInt(whole!.without_layer) };
  return { ...profileHead(profile), search: search?.text ?? null, ...timelinePoints(rows, sums, stepS, shown.type) };
};

export const frameModules: Handler<"frameModules"> = async (context) => {
  const { frame, limit } = context.query;
  const id = decimalFrameId(frame);
  const [profile, [found]] = await Promise.all([profileSelection(context), rowsOf(context, frameById(id), "frame")]);
  if (found === undefined) throw notFound();
  const rows = await rowsOf(context, modulesSql(profile.selection, id, limit), "frame-modules");
  return { ...profileHead(profile), ...modulesOfFrame(rows, limit, { id: hexFrameId(id), kind: found.kind, name: found.name }, profile.shown.type) };
};

export const moduleFrames: Handler<"moduleFrames"> = async (context) => {
  const { module_path: modulePath, model_key: modelKey, limit } = context.query;
  const pattern = pathPattern(modulePath);
  if (!pattern.ok) throw new ApiError("parameter_invalid", { detail: `\`module_path\` is "${modulePath.slice(0, 60)}": ${pattern.error}.` });
  const profile = await profileSelection(context);
  const ask = (together: boolean) => rowsOf(context, moduleSums(profile.selection, { pathPattern: pattern.value.regex, modelKey }, together, limits.moduleCopiesMax), together ? "modules" : "module-copies");
  const [copies, modules] = await Promise.all([ask(false), ask(true)]);
  const found = (copies[0]?.all_rows ?? 1) - 1;
  if (found > limits.moduleCopiesMax) throw new ApiError("limit_exceeded", { detail: `${found} modules match, ${limits.moduleCopiesMax} are the bound (moduleCopiesMax). Write fewer * or give \`model_key\`.` });
  return { ...profileHead(profile), modulePath, ...copiesOfModule(copies, modules, { pattern: pattern.value, limit }, profile.shown.type) };
};

function stepOf(asked: number | undefined, range: { readonly fromS: number; readonly toS: number }): number {
  const stepS = asked ?? defaultStepS(range);
  const steps = stepsIn(range, stepS);
  if (steps <= limits.timelinePointsMax) return stepS;
  const least = Math.ceil((range.toS - range.fromS) / (limits.timelinePointsMax - 1));
  throw new ApiError("parameter_invalid", { detail: `\`step\` of ${stepS} s makes ${steps} steps of this range, over the bound of ${limits.timelinePointsMax} (timelinePointsMax); write at least ${least}, or leave it out.` });
}

function searchOf(text: string): Search {
  const search = parseSearch(text);
  const [problem] = search.problems;
  if (problem?.kind === "too_long") throw new ApiError("limit_exceeded", { detail: `${problem.message} (searchBytesMax).` });
  if (problem !== undefined) throw new ApiError("search_invalid", { detail: `${search.problems.map(({ message, from }) => `${message} at ${from}`).join("; ")}.`, problems: search.problems });
  if (search.terms.length === 0) throw new ApiError("search_invalid", { detail: "`search` names nothing. Write what a frame's name contains, or /a regular expression/." });
  return search;
}

// RE2 has the last word on a pattern, which our look at the text may have passed.
async function asking<T>(search: Search | null, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const patterns = search?.terms.filter(({ pattern }) => pattern !== undefined) ?? [];
    if (!(error instanceof StoreError && error.kind === "regex") || patterns.length === 0) throw error;
    const problems = patterns.map(({ from, to }) => ({ kind: "regex_invalid", message: "Not an RE2 pattern", from, to }));
    throw new ApiError("search_invalid", { detail: "The store refused a regular expression of the search. It takes RE2 syntax: no look-around, no back-references.", internal: error.message, problems });
  }
}
