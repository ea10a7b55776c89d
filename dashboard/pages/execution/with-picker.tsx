// Which executions stand beside this one. Those of the same model come first: only what has the same module paths has something to compare.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import type { ExecutionsList } from "#schema/api/executions.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { useSession } from "../../app/session.tsx";
import { formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import { Select } from "../../parts/select.tsx";
import { executionsFrom } from "../executions/executions-query.ts";
import { useExecutionSearch } from "./use-execution-search.ts";

const besideMax = 4;

export function WithPicker({ single = false }: { readonly single?: boolean }) {
  const { tenant } = useSession();
  const { execution: id } = useParams({ from: "/t/$tenant/executions/$execution" });
  const [search, change] = useExecutionSearch();
  const list = useQuery({ queryKey: ["executions-to-compare", tenant], queryFn: ({ signal }) => fetchApi<ExecutionsList>(tenant, "/executions", { signal, query: { from: executionsFrom } }), staleTime: 10_000 });
  const now = useNow();
  const chosen = search.with?.split(",") ?? [];
  const all = list.data?.executions ?? [];
  const own = all.find((one) => one.id === id);
  const others = all.filter((one) => one.id !== id && one.complete && !chosen.includes(one.id));
  const alike = others.filter((one) => own !== undefined && one.modelName === own.modelName && (one.modelKey === own.modelKey || one.modelKey === "" || own.modelKey === ""));
  const rest = others.filter((one) => !alike.includes(one));
  const full = chosen.length >= besideMax;
  const option = (one: (typeof all)[number]) => (
    <option key={one.id} value={one.id}>
      {printable(one.name)} · {formatClock(Date.parse(one.importedAt), now)}
    </option>
  );
  return (
    <Select label={single ? "Compare with" : "Put another execution beside it"} value="" change={(next) => next !== "" && change({ with: single ? next : [...chosen, next].join(",") }, true)} testId="with-picker">
      <option value="">{single ? "Compare with…" : full ? `${besideMax} beside it are the most` : "Put beside it…"}</option>
      {!full && alike.length > 0 && <optgroup label={own?.modelName ? `Of ${printable(own.modelName)}` : "Of models without a name"}>{alike.map(option)}</optgroup>}
      {!full && rest.length > 0 && <optgroup label="Others">{rest.map(option)}</optgroup>}
      {list.isSuccess && others.length === 0 && <option disabled>No other execution: npx lamella import trace.json.gz adds one</option>}
      {list.data?.next != null && <option disabled>Older ones are not listed here</option>}
    </Select>
  );
}
