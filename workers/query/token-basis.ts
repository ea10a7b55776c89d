// Which tokens a side of a comparison had: of an execution, what the marks of its steps say; of a live range, what the engine on the hosts of the samples counted.
// Refuses rather than divide by tokens of other work than the samples are of.
import { hostsOf } from "#clickhouse/compare.ts";
import { type MetricSelection, metricSources, metricSteps, metricsSeen, type MetricStepRow } from "#clickhouse/engine-metrics.ts";
import type { Interval } from "#clickhouse/samples.ts";
import { conditionsOf, type Condition, type Filter, type Term } from "#core/filter/filter.ts";
import { noTokens, reportedTokens, stepTokens, type TokenBasis, type TokenReport } from "#core/flamegraph/compare/token-basis.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { EngineMetric } from "#schema/engine-metrics.ts";
import { fields } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type AnyContext, rowsOf } from "../route-context.ts";
import { recordOf } from "./execution-records.ts";
import type { ProfileSelection } from "./profile-selection.ts";

const counters = ["prompt_tokens", "generation_tokens"] as const satisfies readonly EngineMetric[];
const shownMax = 5; // hosts or models in one sentence

type SideTokens = { readonly tokens: TokenBasis; readonly notes: readonly string[] };

// By the intervals in which the side's values are. `label`: A or B.
export async function tokensOf(context: AnyContext, side: ProfileSelection, interval: Interval, label: string): Promise<SideTokens> {
  return interval === "step" ? { tokens: await executionTokens(context, side.selection.executionId, label), notes: [] } : await liveTokens(context, side, interval.seconds, label);
}

async function executionTokens(context: AnyContext, executionId: string, label: string): Promise<TokenBasis> {
  const { record } = await recordOf(context, executionId);
  const found = stepTokens((JSON.parse(record) as ExecutionRecord).steps);
  if (found.bySpan.size === 0) throw refused(label, `no step of execution ${executionId.slice(0, 12)} says how many tokens it had; the marks of vLLM and SGLang do. Use \`basis=time\` (per step) or \`basis=launch\``);
  return found;
}

async function liveTokens(context: AnyContext, { selection, filter }: ProfileSelection, seconds: number, label: string): Promise<SideTokens> {
  const modelName = followedModel(filter, label);
  const hostNames = (await rowsOf(context, hostsOf(selection, limits.metricPlacesMax + 1), `compare-hosts-${label}`)).map((row) => row.host_name);
  if (hostNames.length === 0) return { tokens: noTokens, notes: [] };
  if (hostNames.length > limits.metricPlacesMax) throw refused(label, `its samples are of more than ${limits.metricPlacesMax} hosts (metricPlacesMax); choose some by \`host.name\``);
  if (hostNames.includes("")) throw refused(label, "some of its samples name no host, so nothing says which engine's tokens are theirs; choose hosts by `host.name`");
  const { scope, fromS, toS, nowS } = selection;
  const anySource = { scope, fromS, toS, nowS, names: counters, hostNames, modelName, labels: [] };
  // Every import counts for itself: the same dumps in two of them would count twice. Hosts may have been imported one by one.
  const sources = await rowsOf(context, metricSources(anySource), `compare-sources-${label}`);
  const asked = { ...anySource, ...(sources.length === 0 ? {} : { sources }) };
  const { engine, series, models } = await countingEngine(context, asked, label);
  const rows = await rowsOf(context, metricSteps({ ...asked, engine, stepS: seconds }), `compare-tokens-${label}`);
  const tokens = reportedTokens(reportsOf(rows, seconds), series);
  if (tokens.bySpan.size === 0) throw refused(label, `it has tokens in no two intervals of ${seconds} s in which each of the ${series} series of \`prompt_tokens\` and \`generation_tokens\` has a point, so nothing says over which time they were counted. Import dumps from the start and the end of the range in one import, or choose the range by them`);
  const of = models.length === 0 ? "" : ` for ${some(models)}`;
  const told = sources.filter((one) => one.sources > 1).map((one) => `${one.host_name} has tokens of ${one.sources} imports or scrapes; ${one.source === "" ? "the scrape" : `import ${one.source}`} counts, which covers most of the range`);
  return { tokens, notes: [`Tokens of ${label}: of prompts and generated, as ${engine} counted them on ${some(hostNames)}${of}`, ...(told.length === 0 ? [] : [some(told)])] };
}

// Metrics know hosts, as samples do, and models. What is inside stacks is a part of the work for the same tokens. Everything else tells processes apart that metrics do not.
function followedModel(filter: Filter, label: string): string | undefined {
  const terms = filter.kind === "everything" ? [] : filter.kind === "and" ? filter.operands : [filter];
  const model = terms.find(isModel);
  const lost = terms.filter((term) => term !== model).flatMap((term) => conditionsOf(term)).filter(({ field }) => field !== "host.name" && (field === "model.name" || fields[field].kind !== "frame"));
  if (lost.length > 0) throw refused(label, `engine metrics do not tell ${[...new Set(lost.map(({ field }) => `\`${field}\``))].join(", ")} apart. With tokens a filter may have \`host.name\`, one \`model.name == "…"\` joined by &&, and what is inside stacks (\`module.path\`, \`kernel.name\`, …)`);
  return model?.values[0];
}

function isModel(term: Term): term is Condition {
  return term.kind === "condition" && term.field === "model.name" && term.operator === "==";
}

type Asked = MetricSelection & { readonly hostNames: readonly string[] };

// The one engine that counted both, on every host. `series`: those of both in the range.
async function countingEngine(context: AnyContext, asked: Asked, label: string): Promise<{ engine: string; series: number; models: readonly string[] }> {
  const seen = await rowsOf(context, metricsSeen({ ...asked, placesMax: limits.metricPlacesMax, limit: counters.length }), `compare-engines-${label}`);
  const [prompt, generation] = counters.map((name) => seen.find(({ metric }) => metric === name));
  const where = `${some(asked.hostNames)}${asked.modelName === undefined ? "" : ` for model ${asked.modelName}`}`;
  const remedy = (host: string | undefined) => `Import what its engine counted: lamella metrics import before.txt after.txt --host ${host}`;
  if (prompt === undefined || generation === undefined) throw refused(label, `the range has no metric \`${prompt === undefined ? "prompt_tokens" : "generation_tokens"}\` of ${where}. ${remedy(asked.hostNames[0])}`);
  const [engine, ...others] = [...new Set([...prompt.engines, ...generation.engines])].sort();
  if (engine !== undefined && others.length > 0) throw refused(label, `${[engine, ...others].join(" and ")} count tokens on ${where}, perhaps the same ones; choose hosts of one engine by \`host.name\``);
  if (engine === undefined) throw refused(label, `no named engine on ${where} has both \`prompt_tokens\` and \`generation_tokens\``);
  const silent = asked.hostNames.filter((host) => !prompt.hosts.includes(host));
  if (silent.length > 0) throw refused(label, `${some(silent)} has samples in the range and no tokens. ${remedy(silent[0])}; or choose hosts by \`host.name\``);
  return { engine, series: prompt.series + generation.series, models: prompt.models };
}

// What a counter had before its first point is no part of the range; its point shows that the series is there. Where one begins later than others, what it had then
// may be of the range, and nobody knows how much: its series is missing from the intervals before, so no span goes on over them.
function reportsOf(rows: readonly MetricStepRow[], seconds: number): TokenReport[] {
  return [...new Set(rows.map(({ t }) => t))].map((t) => {
    const inStep = rows.filter((row) => row.t === t);
    const tokens = inStep.filter((row) => row.since_start === 0).reduce((sum, row) => sum + row.total, 0);
    const began = inStep.filter((row) => row.since_start === 1).reduce((sum, row) => sum + row.series, 0);
    const series = counters.reduce((sum, name) => sum + Math.max(0, ...inStep.filter(({ metric }) => metric === name).map((row) => row.series)), 0);
    return { interval: t / seconds, tokens, series, began: began > 0 };
  });
}

function some(names: readonly string[]): string {
  return names.length > shownMax ? `${names.slice(0, shownMax).join(", ")} and ${names.length - shownMax} more` : names.join(", ");
}

function refused(label: string, why: string): ApiError {
  return new ApiError("parameter_invalid", { detail: `\`basis=token\` of ${label}: ${why}.` });
}
