// A trace of the open file as a flamegraph: the same view as of stored ones, its answers from the worker.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { ChangeFile, ChangeSearch, FileSearch } from "../../app/url-state.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { FlamegraphOrigin } from "../flamegraph/flamegraph-origin.ts";
import { FlamegraphView } from "../flamegraph/flamegraph-view.tsx";
import { askFlamegraph } from "./opened-file.ts";

export function TraceFile({ search, change, file }: { readonly search: FileSearch; readonly change: ChangeFile; readonly file: File }) {
  const { layers, hide, invert, frame, side } = search;
  const query = { ...(layers && { layers }), ...(hide && { hide }), ...(invert === "1" && { invert }), ...(frame && { frame }), ...(side && { side }) } as Parameters<typeof askFlamegraph>[0];
  const answer = useQuery({
    queryKey: ["file-flamegraph", file.name, file.lastModified, file.size, query],
    queryFn: () => askFlamegraph(query),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // another file may have the same name and size
  });
  // The table, the filter and the range of stored profiles are not of this page.
  const changed = useCallback<ChangeSearch>(
    (next, replace) => {
      const { view: _view, by: _by, sort: _sort, filter: _filter, type: _type, execution: _execution, model: _model, ...kept } = next;
      if (Object.keys(kept).length > 0) change(kept, replace);
    },
    [change],
  );
  const { sort: _sort, ...looked } = search;
  if (answer.data === undefined) return <Loading what="the flamegraph" rows={14} />;
  if (answer.data.whole === 0)
    return (
      <Empty title="The file has no samples" testId="file-empty">
        <p>It could be read, and nothing in it took time. The import report above says what was found.</p>
      </Empty>
    );
  return (
    <FlamegraphOrigin value="file">
      <FlamegraphView graph={answer.data} stale={answer.isPlaceholderData} search={looked} change={changed} />
    </FlamegraphOrigin>
  );
}
