// What is shown: live samples, or one imported trace.
import { useQuery } from "@tanstack/react-query";
import { printable } from "#core/printable.ts";
import { profileTypeNames, profileTypes } from "#schema/frame-kinds.ts";
import { useSession } from "../../app/session.tsx";
import { formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import { Select } from "../../parts/select.tsx";
import { executionsQuery } from "./flamegraph-query.ts";

export function ExecutionPicker({ value, change }: { readonly value: string | undefined; readonly change: (execution: string | undefined) => void }) {
  const { tenant } = useSession();
  const list = useQuery(executionsQuery(tenant));
  const now = useNow();
  const executions = list.data?.executions ?? [];
  const known = value === undefined || value === "live" || value === "latest" || executions.some((one) => one.id === value);
  return (
    <Select label="Execution" value={value ?? ""} change={(next) => change(next === "" ? undefined : next)} testId="execution-picker">
      <option value="">Live, else the latest execution</option>
      <option value="live">Live samples only</option>
      <option value="latest">The latest execution</option>
      {executions.length > 0 && (
        <optgroup label="Executions">
          {executions.map((one) => (
            <option key={one.id} value={one.id} disabled={!one.complete}>
              {printable(one.name)} · {printable(one.device)} · {formatClock(Date.parse(one.importedAt), now)}
              {one.complete ? "" : ` · ${one.parts.stored} of ${one.parts.of} parts`}
            </option>
          ))}
          {list.data?.next != null && <option disabled>Older ones: lamella executions lists them all</option>}
        </optgroup>
      )}
      {!known && <option value={value}>Execution {value?.slice(0, 12)}…</option>}
    </Select>
  );
}

export function ProfileTypePicker({ value, change }: { readonly value: string | undefined; readonly change: (type: string | undefined) => void }) {
  return (
    <Select label="Profile type" value={value ?? ""} change={(next) => change(next === "" ? undefined : next)} testId="profile-type">
      <option value="">Any type with data</option>
      {profileTypeNames.map((name) => (
        <option key={name} value={name}>
          {profileTypes[name].label}
        </option>
      ))}
    </Select>
  );
}
