// The list below the palette's box: options in groups; the chosen one is kept in sight.
import { useEffect, useRef } from "react";
import type { Choice } from "./choice.ts";
import type { ChoiceGroup } from "./group-choices.ts";
import style from "./command-palette.module.css";

export function optionId(at: number): string {
  return `palette-option-${at}`;
}

export function ChoiceList({ groups, chosen, run }: { readonly groups: readonly ChoiceGroup[]; readonly chosen: number; readonly run: (choice: Choice) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const option = groups.flatMap(({ choices }) => choices)[chosen];
  useEffect(() => {
    if (option !== undefined) list.current?.querySelector(`#${optionId(chosen)}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, option]);
  return (
    <div ref={list} id="palette-list" role="listbox" aria-label="Choices" className={style.list}>
      {groups.map(({ title, choices, from }) => (
        <div key={title} role="group" aria-label={title === "" ? "Found" : title}>
          {title !== "" && (
            <div className={style.title} role="presentation">
              {title}
            </div>
          )}
          {choices.map((choice, at) => (
            <Option key={choice.id} id={optionId(from + at)} choice={choice} selected={from + at === chosen} withKind={title === "" || title === "Recent"} run={run} />
          ))}
        </div>
      ))}
    </div>
  );
}

type OptionProps = { readonly id: string; readonly choice: Choice; readonly selected: boolean; readonly withKind: boolean; readonly run: (choice: Choice) => void };

function Option({ id, choice, selected, withKind, run }: OptionProps) {
  const { icon: Icon, text, beside = "", keys, kind } = choice;
  return (
    <div
      id={id}
      role="option"
      aria-selected={selected}
      className={style.option}
      data-testid="palette-option"
      data-choice={choice.id}
      onMouseDown={(event) => event.preventDefault()} // the box keeps the focus
      onClick={() => run(choice)}
    >
      <Icon size={14} aria-hidden="true" />
      <span className={style.text}>{text}</span>
      {beside !== "" && <span className={style.beside}>{beside}</span>}
      <span className={style.kind}>{withKind ? kind : ""}</span>
      {keys?.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}
    </div>
  );
}
