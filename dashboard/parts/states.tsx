// What stands where data would: loading (keeps the layout), empty (says why and what to do), failure (the server's own words, with a way on).
import { RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { toApiError } from "./api-error.ts";
import { ProblemText } from "./problem-text.tsx";
import control from "./control.module.css";
import style from "./states.module.css";

export function Loading({ what, rows = 8 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div className={style.loading} role="status" data-testid="loading">
      <span className="visually-hidden">Loading {what}…</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={style.bar} data-width={row % 4} />
      ))}
    </div>
  );
}

export function Empty({ title, children, testId = "empty" }: { readonly title: string; readonly children?: ReactNode; readonly testId?: string }) {
  return (
    <div className={style.state} data-testid={testId}>
      <h2>{title}</h2>
      <div className={style.body}>{children}</div>
    </div>
  );
}

export function Failure({
  error,
  retry,
  source,
}: {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
  readonly source?: string | undefined;
}) {
  const problem = toApiError(error);
  return (
    <div className={style.state} role="alert" data-testid="failure" data-code={problem.code}>
      <h2>
        <TriangleAlert size={16} aria-hidden="true" />
        {problem.title}
      </h2>
      <div className={style.body}>
        <p>{problem.detail}</p>
        {source !== undefined && problem.problems.length > 0 && <ProblemText source={source} problems={problem.problems} />}
        <p className={style.fine}>
          <code>{problem.code}</code>
          {problem.requestId !== "" && (
            <>
              {" · request "}
              <code>{problem.requestId}</code>
            </>
          )}
        </p>
        {retry !== undefined && (
          <button type="button" className={control.button} onClick={retry}>
            <RotateCw size={14} />
            Retry
          </button>
        )}
      </div>
    </div>
  );
}
