// What the search found: frames and their union share of the time. A nested match is inside the outer one and is not added twice.
import { Link } from "@tanstack/react-router";
import type { Search, SearchHits } from "#core/flamegraph/search.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import { ProblemText } from "../../parts/problem-text.tsx";
import { shownWords } from "./frame-facts.ts";
import style from "./search-summary.module.css";

export function SearchSummary({
  graph,
  search,
  hits,
  model,
}: {
  readonly graph: Flamegraph;
  readonly search: Search;
  readonly hits: SearchHits | null;
  readonly model: string | undefined;
}) {
  const { tenant } = useSession();
  if (hits === null && search.problems.length === 0) return <div id="search-summary" className="visually-hidden" />;
  const total = hits === null ? null : formatValue(hits.total, graph.unit);
  const cut = graph.truncated.nodes > 0;
  return (
    <div
      id="search-summary"
      className={style.summary}
      role="status"
      data-testid="search-summary"
      data-frames={hits?.nodes}
      data-total={hits?.total}
      data-share={hits?.share}
    >
      {search.problems.length > 0 && <ProblemText source={search.text} problems={search.problems} />}
      {hits !== null && hits.nodes > 0 && (
        <p>
          <strong>{search.text}</strong> — {formatExact(hits.nodes)} {hits.nodes === 1 ? "frame" : "frames"}, {cut && "at least "}
          {formatShare(hits.share)} of {graph.total < graph.whole ? shownWords(graph) : profileTypes[graph.profileType].label}
          {total !== null && (
            <span className={style.muted} title={total.exact}>
              {" "}
              ({total.text}
              {hits.names > 1 && <>, {formatExact(hits.names)} names</>})
            </span>
          )}
        </p>
      )}
      {hits !== null &&
        hits.nodes === 0 &&
        search.terms.length > 0 &&
        (model === undefined ? (
          <p>
            <strong>{search.text}</strong> — no frame matches.{cut && " Frames cut into (other) are not searched."}
          </p>
        ) : (
          <p>
            This module has no frames in the current flamegraph.{" "}
            <Link to="/t/$tenant/models/$model" params={{ tenant, model }} search={keepRange as never}>
              Back to the model
            </Link>
            <span className={style.muted}>
              {" "}
              A module can run without frames of its own: fused kernels, a graph replay, or no samples in this range.
            </span>
          </p>
        ))}
    </div>
  );
}
