// What is wrong with a filter, below it: each mistake where it stands, and for an unknown field the fields that this page has.
import { fieldsOfPage, type Page } from "#schema/fields.ts";
import type { ApiError } from "./api-error.ts";
import { ProblemText } from "./problem-text.tsx";
import style from "./filter-bar.module.css";

export function FilterProblem({ id, page, source, problem }: { readonly id: string; readonly page: Page; readonly source: string; readonly problem: ApiError }) {
  const listed = problem.code === "filter_field_unsupported"; // then the fields of the page are listed once, below all mistakes
  return (
    <div id={id} className={style.problem} role="alert" data-testid="filter-problem" data-code={problem.code}>
      <strong>{problem.title}</strong>
      {problem.problems.length > 0 ? (
        <ProblemText source={source} problems={listed ? problem.problems.map((one) => ({ ...one, expected: [] })) : problem.problems} />
      ) : (
        <p>{problem.detail}</p>
      )}
      {listed && (
        <p className={style.fields}>
          This page filters by{" "}
          {fieldsOfPage(page).map((name, at) => (
            <span key={name}>
              {at > 0 && ", "}
              <code>{name}</code>
            </span>
          ))}
          .
        </p>
      )}
    </div>
  );
}
