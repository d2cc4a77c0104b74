import type { Choice, Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';
import { type Labels, withoutMark } from './labels.ts';
import type { Keys, Value } from './yaml_text.ts';

/** The choices of a list, radio buttons or boxes, as the config writes them. */
export interface Choices {
  readonly options: readonly Value[];
  /** The values selected before the visitor does anything. */
  readonly value: readonly string[];
  /** Choices that the config cannot hold: they send nothing, or cannot be told from others. */
  readonly isReduced: boolean;
}

/** The config takes text without controls. */
const isUsable = (value: string) => value !== '' && !/[\0-\x1f\x7f-\x9f]/.test(value);

export function choicesOf(controls: readonly Control[], labels: Labels): Choices {
  const all = controls.flatMap((control) =>
    (control.choices ?? []).map((choice) => ({ ...choice, label: labelOfChoice(choice, control, labels) })),
  );
  const seen = new Set<string>();
  const kept = all.filter(({ value }) => isUsable(value) && !seen.has(value) && seen.add(value));
  const isPrompt = ({ value }: Choice) => value === '' && controls.every(({ kind }) => kind === 'select');
  return {
    options: kept.map(({ value, label }) => optionKeys(value, label)),
    value: kept.filter(({ isChosen }) => isChosen).map(({ value }) => value),
    isReduced: kept.length < all.filter((choice) => !isPrompt(choice)).length,
  };
}

const optionKeys = (value: string, label: string): Keys | string =>
  label === '' || label === value ? value : { value, label };

function labelOfChoice({ element }: Choice, control: Control, labels: Labels): string {
  if (control.kind !== 'select') return withoutMark(labels.written(control));
  return (element.attributes.get('label') ?? element.text).replaceAll(/\s+/g, ' ').trim();
}

/** The text of a list's first line, which chooses nothing: `<option value="" disabled selected>Choose…</option>`. */
export function promptOf({ element }: Control, own: readonly PageElement[]): string | undefined {
  const first = own.find(
    ({ tag, parent }) => tag === 'option' && parent !== undefined && isIn(parent, element),
  );
  const choosesNothing =
    first && (first.attributes.get('value') === '' || (first.isDisabled && !first.attributes.has('value')));
  return choosesNothing ? first.words() || first.text.trim() || undefined : undefined;
}

/** Whether its choices stand in named groups, which the config does not know. */
export const isGrouped = ({ element }: Control, own: readonly PageElement[]): boolean =>
  own.some(({ tag, parent }) => tag === 'optgroup' && parent !== undefined && isIn(parent, element));

const isIn = (element: PageElement, around: PageElement) => [...ancestry(element)].includes(around);
