/** Radio buttons that look like one switch: arrow keys and every screen reader know them. */
import type { ComponentChildren } from 'preact';

interface ChoiceProps<T extends string> {
  readonly name: string;
  /** For screen readers. */
  readonly label: string;
  readonly options: Readonly<Record<T, ComponentChildren>>;
  readonly value: T;
  readonly onChoose: (value: T) => void;
  readonly class?: string;
}

export const Choice = <T extends string>({
  name,
  label,
  options,
  value,
  onChoose,
  ...others
}: ChoiceProps<T>) => (
  <fieldset class={`choice ${others.class ?? ''}`}>
    <legend class="unseen">{label}</legend>
    {(Object.entries(options) as [T, ComponentChildren][]).map(([one, shown]) => (
      <label key={one}>
        <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChoose(one)} />
        <span>{shown}</span>
      </label>
    ))}
  </fieldset>
);
