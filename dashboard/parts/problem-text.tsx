// A text the user typed, with each mistake underlined where it stands and explained beneath, like a compiler does.
import type { TextProblem } from "#schema/api/problem.ts";
import style from "./problem-text.module.css";

export function ProblemText({ source, problems }: { readonly source: string; readonly problems: readonly Omit<TextProblem, "kind">[] }) {
  return (
    <div className={style.all} data-testid="text-problems">
      {problems.map((problem, index) => {
        const to = Math.max(problem.to, problem.from + 1);
        return (
          <div key={index} className={style.one}>
            <pre className={style.source}>
              {source.slice(0, problem.from)}
              <mark>{source.slice(problem.from, to) || " "}</mark>
              {source.slice(to)}
              {"\n"}
              {" ".repeat(problem.from)}
              <span className={style.caret} aria-hidden="true">
                {"^".repeat(to - problem.from)}
              </span>
            </pre>
            <p>
              {problem.message.replace(/[^.?!]$/, "$&.")}
              {problem.expected !== undefined && problem.expected.length > 0 && <> Expected: {problem.expected.join(", ")}.</>}
              {problem.didYouMean !== undefined && (
                <>
                  {" "}
                  Did you mean <code>{problem.didYouMean}</code>?
                </>
              )}
            </p>
          </div>
        );
      })}
    </div>
  );
}
