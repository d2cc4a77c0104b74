import type { Control } from '../check/form_controls.ts';
import type { PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import { choicesOf, isGrouped, promptOf } from './choices.ts';
import { type Draft, isRequired, shown, starred, textual, withoutDefault } from './field_draft.ts';
import { type Labels, labelFor } from './labels.ts';
import { note, type Remark, toDo } from './remark.ts';
import type { Keys } from './yaml_text.ts';

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
