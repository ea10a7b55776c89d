// What the lines depend on: engine, platform, GPU, and a few switches.
import type { ReactNode } from "react";
import { engines, gpuVendors, platforms, tagsProblem, type SetupChoice } from "#core/setup/setup-choice.ts";
import type { SetupSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import style from "./setup-page.module.css";

export function SetupForm({ choice, change }: { readonly choice: SetupChoice; readonly change: (next: Partial<SetupSearch>) => void }) {
  const problem = tagsProblem(choice.tags);
  return (
    <form className={style.form} onSubmit={(event) => event.preventDefault()} aria-label="What to set up" data-testid="setup-form">
      <Pick label="Engine" name="engine" options={engines} value={choice.engine} first="vllm" change={(engine) => change({ engine })} />
      <Pick label="Platform" name="platform" options={platforms} value={choice.platform} first="docker" change={(platform) => change({ platform })} />
      <Pick label="GPU" name="gpu" options={gpuVendors} value={choice.gpu} first="nvidia" change={(gpu) => change({ gpu })} />
      <fieldset className={style.pick}>
        <legend>Options</legend>
        <div className={style.switches}>
          <Switch label="Model shapes" on={choice.shapes} change={(on) => change({ shapes: on ? undefined : "off" })} />
          <Switch label="PC sampling" on={choice.pcSampling} change={(on) => change({ pc: on ? "on" : undefined })} />
          <Switch label="Log the start" on={choice.log} change={(on) => change({ log: on ? "on" : undefined })} />
        </div>
      </fieldset>
      <div className={style.texts}>
        <Text label="Cluster name" value={choice.cluster} example="prod-eu" change={(cluster) => change({ cluster: cluster === "" ? undefined : cluster })} />
        <Text label="Tags" value={choice.tags} example="team:search;env:prod" problem={problem} change={(tags) => change({ tags: tags === "" ? undefined : tags })} />
      </div>
    </form>
  );
}

type PickProps<Name extends string> = {
  readonly label: string;
  readonly name: string;
  readonly options: Readonly<Record<Name, string>>;
  readonly value: Name;
  readonly first: Name; // the default, which stays out of the URL
  readonly change: (value: Name | undefined) => void;
};

function Pick<Name extends string>({ label, name, options, value, first, change }: PickProps<Name>) {
  return (
    <fieldset className={style.pick}>
      <legend>{label}</legend>
      <div className={style.options}>
        {(Object.keys(options) as Name[]).map((one) => (
          <label key={one} className={style.option}>
            <input type="radio" name={name} checked={one === value} onChange={() => change(one === first ? undefined : one)} />
            <span>{options[one]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Switch({ label, on, change }: { readonly label: string; readonly on: boolean; readonly change: (on: boolean) => void }) {
  return (
    <label className={control.check}>
      <input type="checkbox" checked={on} onChange={(event) => change(event.target.checked)} />
      {label}
    </label>
  );
}

type TextProps = { readonly label: string; readonly value: string; readonly example: string; readonly problem?: string | undefined; readonly change: (value: string) => void };

function Text({ label, value, example, problem, change }: TextProps): ReactNode {
  return (
    <label className={control.field}>
      <span>{label}</span>
      <input
        className={control.input}
        value={value}
        placeholder={example}
        spellCheck={false}
        autoComplete="off"
        maxLength={200}
        aria-invalid={problem !== undefined}
        onChange={(event) => change(event.target.value)}
        data-testid={`setup-${label.toLowerCase().replace(" ", "-")}`}
      />
      {problem !== undefined && (
        <span className={style.problem} role="alert">
          {problem}. Left out until then.
        </span>
      )}
    </label>
  );
}
