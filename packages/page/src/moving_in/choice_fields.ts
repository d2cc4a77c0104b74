import type { Choice, Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import { type Draft, isRequired, shown, starred, textual, withoutDefault } from './field_draft.ts';
import { type Labels, labelFor, withoutMark } from './labels.ts';
import { note, type Remark, toDo } from './remark.ts';
import type { Keys, Value } from './yaml_text.ts';

/** A list to unfold, or to choose several from. */
export function list(name: string, control: Control, own: readonly PageElement[], labels: Labels): Draft {
  const { options, value, isReduced } = choicesOf([control], labels);
  const common = shown(name, control, labels);
  if (options.length === 0) {
    const empty = `${quote(name)} is a list without options, which a script may make; here it is one line of text until you write type: select and options`;
    return { keys: common, remarks: [toDo(empty)] };
  }
  const multiple = control.element.attributes.has('multiple') || undefined;
  const keys = {
    type: 'select',
    ...common,
    placeholder: multiple ? undefined : promptOf(control, own),
    autocomplete: textual(control).autocomplete,
    multiple,
    ...chosen(multiple ? value : value.slice(-1)),
    options,
  };
  const groups = isGrouped(control, own)
    ? [note(`the options of ${quote(name)} stand in groups in the page; here they stand in one list`)]
    : [];
  return { keys, remarks: [...starred(name, control, labels), ...reduced(name, isReduced), ...groups] };
}

/** Radio buttons, or boxes that share a name. */
export function group(type: string, name: string, controls: readonly Control[], labels: Labels): Draft {
  const { options, value, isReduced } = choicesOf(controls, labels);
  const keys = {
    label: labelFor(name, labels.ofGroup(controls)),
    required: controls.some((control) => isRequired(control)) || undefined,
  };
  if (options.length === 0) return { keys, remarks: reduced(name, isReduced) };
  const taken = type === 'radios' ? value.slice(-1) : value;
  return { keys: { type, ...keys, ...chosen(taken), options }, remarks: reduced(name, isReduced) };
}

const chosen = (values: readonly string[]): Keys => {
  const [first] = values;
  return { value: values.length > 1 ? values : first };
};

const reduced = (name: string, isReduced: boolean): readonly Remark[] =>
  isReduced
    ? [note(`options of ${quote(name)} without a value, or with the value of another, are left out`)]
    : [];

/** A field for a single box. */
export function box(name: string, control: Control, labels: Labels): Draft {
  const [choice] = control.choices ?? [];
  const { value, isReduced } = choicesOf([control], labels);
  const sends = isReduced ? 'on' : (choice?.value ?? 'on');
  const keys = {
    type: 'checkbox',
    ...shown(name, control, labels),
    checked_value: withoutDefault(sends, 'on'),
    ...chosen(value),
  };
  const silent = toDo(
    `the box ${quote(name)} sends nothing that can be told from an empty one; give it a value in the page`,
  );
  return { keys, remarks: isReduced ? [silent] : [] };
}

/** The choices of a list, radio buttons or boxes, as the config writes them. */
interface Choices {
  readonly options: readonly Value[];
  /** The values selected before the visitor does anything. */
  readonly value: readonly string[];
  /** Choices that the config cannot hold: they send nothing, or cannot be told from others. */
  readonly isReduced: boolean;
}

/** The config takes text without controls. */
const isUsable = (value: string) => value !== '' && !/[\0-\x1f\x7f-\x9f]/.test(value);

function choicesOf(controls: readonly Control[], labels: Labels): Choices {
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
function promptOf({ element }: Control, own: readonly PageElement[]): string | undefined {
  const first = own.find(
    ({ tag, parent }) => tag === 'option' && parent !== undefined && isIn(parent, element),
  );
  const choosesNothing =
    first && (first.attributes.get('value') === '' || (first.isDisabled && !first.attributes.has('value')));
  return choosesNothing ? first.words() || first.text.trim() || undefined : undefined;
}

/** Whether its choices stand in named groups, which the config does not know. */
const isGrouped = ({ element }: Control, own: readonly PageElement[]): boolean =>
  own.some(({ tag, parent }) => tag === 'optgroup' && parent !== undefined && isIn(parent, element));

const isIn = (element: PageElement, around: PageElement) => [...ancestry(element)].includes(around);
