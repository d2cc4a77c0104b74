/** Inputs outside the settings: a labelled line, a search, checkboxes, a choice. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly onType?: (text: string) => void;
  readonly onChange?: (event: { readonly currentTarget: HTMLInputElement }) => void;
  readonly onBlur?: () => void;
  /** Shown below the line. */
  readonly children?: ComponentChildren;
}

/** A labelled line of text. */
export function Line({ label, type = 'text', onType, children, ...attributes }: InputProps) {
  const id = useId();
  return (
    <p>
      <label for={id}>{label}</label>
      <input
        id={id}
        class="set-input"
        // Preact's types require a single literal.
        type={type as 'text'}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={children ? `${id}-more` : undefined}
        onInput={({ currentTarget }) => onType?.(currentTarget.value)}
        {...attributes}
      />
      {children && (
        <span class="set-help" id={`${id}-more`}>
          {children}
        </span>
      )}
    </p>
  );
}

interface SearchProps {
  readonly label: string;
  readonly class?: string;
  readonly placeholder: string;
  readonly value: string;
  readonly autofocus?: boolean;
  readonly onType: (text: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

export const Search = ({ label, onType, ...attributes }: SearchProps) => (
  <input
    type="search"
    aria-label={label}
    onInput={({ currentTarget }) => onType(currentTarget.value)}
    {...attributes}
  />
);

interface BoxesProps {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly values: readonly string[];
  readonly needsOne?: boolean;
  readonly onChange: (values: readonly string[]) => void;
}

/** Checkboxes for several options. */
export const Boxes = ({ options, values, needsOne, onChange }: BoxesProps) => (
  <>
    {options.map(({ value, label }) => (
      <label key={value} data-value={value}>
        <input
          type="checkbox"
          checked={values.includes(value)}
          disabled={needsOne && values.length === 1 && values[0] === value}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked ? [...values, value] : values.filter((one) => one !== value))
          }
        />
        {label}
      </label>
    ))}
  </>
);

interface ChoiceProps<T extends string> {
  readonly class: string;
  readonly name: string;
  /** The label for screen readers. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, shown: ComponentChildren])[];
  readonly value: T | undefined;
  readonly onChoose: (value: T) => void;
  readonly children?: ComponentChildren;
}

/** Radio buttons styled as a switch or tabs, because arrow keys and every screen reader support them. */
export const Choice = <T extends string>({
  name,
  label,
  options,
  value,
  onChoose,
  ...props
}: ChoiceProps<T>) => (
  <fieldset class={props.class}>
    <legend class="unseen">{label}</legend>
    {options.map(([one, shown]) => (
      <label key={one}>
        <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChoose(one)} />
        <span>{shown}</span>
      </label>
    ))}
    {props.children}
  </fieldset>
);

export interface View {
  readonly title: string;
  readonly show: () => ComponentChildren;
}

/** Shows one view at a time, and renders only that one. */
export function Tabs({ legend, views }: { readonly legend: string; readonly views: readonly View[] }) {
  const name = useId();
  const [chosen, choose] = useState(0);
  // A retry may have changed the list.
  const view = views[chosen] ?? views.at(-1);
  const titles = views.map(({ title }) => [title, title] as const);
  const onChoose = (title: string) => choose(views.findIndex((one) => one.title === title));
  return (
    <Choice class="tabs" name={name} label={legend} options={titles} value={view?.title} onChoose={onChoose}>
      <div key={view?.title}>{view?.show()}</div>
    </Choice>
  );
}
