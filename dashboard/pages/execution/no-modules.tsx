// Stands where a tree of modules would: why there is none, and how to record one.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { Empty } from "../../parts/states.tsx";

export function NoModules({ record }: { readonly record: ExecutionRecord }) {
  const missing = record.missing.find(({ what }) => what.startsWith("modules"));
  return (
    <Empty title="This execution has no modules" testId="no-modules">
      <p>{missing === undefined ? "Its file knows nothing of PyTorch modules." : `${missing.what[0]!.toUpperCase()}${missing.what.slice(1)}.`}</p>
      {missing !== undefined && <p>{missing.remedy}.</p>}
      <p>Kernels and steps have views of their own above; the flamegraph shows all its stacks.</p>
    </Empty>
  );
}
