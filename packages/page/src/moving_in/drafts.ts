import { floatIn, isMultiple } from '@form-relay/base/unicode';
import { maxValueBytes } from '@form-relay/base/values';
import { acceptEntries } from '@form-relay/files/file_kinds';
import type { PageElement } from '../check/markup.ts';
import { type Choice, type Control, quote, quoteAll } from '../check/page_form.ts';
import { accepts } from './addresses.ts';
import { type Keys, note, type Remark, toDo, when } from './config_text.ts';
import { type Labels, labelFor, withoutMark } from './labels.ts';

/** The keys of a field, before the config checks them. */
export interface Draft {
  readonly keys: Keys;
  readonly remarks?: readonly Remark[];
}

export const isRequired = ({ element: { attributes } }: Control): true | undefined =>
  attributes.has('required') || attributes.get('aria-required') === 'true' || undefined;

export function shown(name: string, control: Control, labels: Labels) {
  return {
    label: labelFor(name, labels.linked(control)),
    required: isRequired(control),
    help: labels.help(control) || undefined,
  };
}

/** Attributes that a field can have unchanged. */
export const hints = ['inputmode', 'enterkeyhint', 'autocapitalize', 'autocorrect', 'spellcheck'];

function textual(control: Control) {
  const { attributes } = control.element;
  const autocomplete = attributes.get('autocomplete')?.trim();
  const hinted = hints.flatMap((name) => {
    const value = attributes.get(name)?.trim().toLowerCase();
    return value ? [[name, value] as const] : [];
  });
  return {
    placeholder: attributes.get('placeholder')?.trim() || undefined,
    autocomplete: autocomplete && autocomplete !== 'on' ? autocomplete : undefined,
    attributes: hinted.length > 0 ? Object.fromEntries(hinted) : undefined,
  };
}

/** The label has an asterisk, but the browser does not require the field. */
function starred(name: string, control: Control, labels: Labels): readonly Remark[] {
  const isStarred = !isRequired(control) && !control.element.isDisabled && /\*/.test(labels.written(control));
  const text = `the label of ${quote(name)} has an asterisk, but the page does not require the field: add required: true if you do`;
  return when(isStarred, toDo(text));
}

const attributeOf = (control: Control, attribute: string) =>
  control.element.attributes.get(attribute)?.trim() || undefined;

const withoutDefault = (value: string | undefined, fallback: string) =>
  value === fallback ? undefined : value;

/** A drop-down list, or a list with several choices. */
export function list(name: string, control: Control, labels: Labels): Draft {
  const { options, value, isReduced } = choicesOf([control], labels);
  const common = shown(name, control, labels);
  if (options.length === 0) {
    const empty = `${quote(name)} is a list without options, which a script may add; here it is a line of text until you add type: select and options`;
    return { keys: common, remarks: [toDo(empty)] };
  }
  const multiple = control.element.attributes.has('multiple') || undefined;
  const keys = {
    type: 'select',
    ...common,
    placeholder: multiple ? undefined : promptOf(control),
    autocomplete: textual(control).autocomplete,
    multiple,
    ...chosen(multiple ? value : value.slice(-1)),
    options,
  };
  return { keys, remarks: [...starred(name, control, labels), ...reduced(name, isReduced)] };
}

/** Radio buttons, or boxes with the same name. */
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

function reduced(name: string, isReduced: boolean): readonly Remark[] {
  const text = `options of ${quote(name)} with an empty or repeated value are left out`;
  return when(isReduced, note(text));
}

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
  const silent = `the checkbox ${quote(name)} sends an empty value; set a value in the page`;
  return { keys, remarks: when(isReduced, toDo(silent)) };
}

/** The config accepts text without control characters. */
const isUsable = (value: string) => value !== '' && !/[\0-\x1f\x7f-\x9f]/.test(value);

/** `isReduced`: the config cannot contain some of the choices, because they send nothing or are ambiguous. */
function choicesOf(controls: readonly Control[], labels: Labels) {
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

/** The text of a list's first line, which stands for no choice: `<option value="" disabled selected>Choose…</option>`. */
function promptOf({ element }: Control): string | undefined {
  const first = firstOption(element);
  const choosesNothing =
    first && (first.attributes.get('value') === '' || (first.isDisabled && !first.attributes.has('value')));
  return choosesNothing ? first.words() || first.text.trim() || undefined : undefined;
}

function firstOption(list: PageElement): PageElement | undefined {
  const waiting: (PageElement | string)[] = [list];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at === 'string') continue;
    if (at.tag === 'option') return at;
    for (const child of at.children.toReversed()) waiting.push(child);
  }
  return undefined;
}

/** Types that the config names differently, or does not have. */
const types: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'url',
  tel: 'tel',
  number: 'number',
  range: 'range',
  date: 'date',
  time: 'time',
  'datetime-local': 'datetime',
  textarea: 'textarea',
};
const strange = new Set(['password', 'month', 'week', 'color', 'custom']);

/** Types that browsers show with a special control, which has no placeholder. */
const timed = new Set(['date', 'time', 'datetime']);

/** A text field, or a field that the page fills in. */
export function typed(name: string, control: Control, labels: Labels): Draft {
  const { kind, element } = control;
  const { attributes } = element;
  const value =
    (kind === 'textarea' ? element.text.replace(/^\n/, '') : attributes.get('value')) || undefined;
  if (kind === 'hidden') return { keys: { type: 'hidden', value } };
  if (kind === 'file') return files(name, control, labels);
  if (kind === 'range') return slider(name, control, labels, value);
  const severalMails = kind === 'email' && attributes.has('multiple');
  const type = severalMails ? undefined : types[kind];
  const common = { type, ...shown(name, control, labels), ...textual(control), value };
  const inText = 'in the page; here it is a line of text';
  const unlisted = `the suggestions for ${quote(name)} are left out; visitors can enter any text`;
  const remarks = [
    ...starred(name, control, labels),
    ...when(strange.has(kind), note(`${quote(name)} is ${wordsOfKind(kind)} ${inText}`)),
    ...when(attributes.has('list'), note(unlisted)),
    ...when(severalMails, note(`${quote(name)} accepts several addresses ${inText}`)),
  ];
  if (type === 'number' || (type !== undefined && timed.has(type))) {
    const limits = {
      min: attributeOf(control, 'min'),
      max: attributeOf(control, 'max'),
      step: stepOf(type, attributeOf(control, 'step')),
    };
    const placeholder = type === 'number' ? common.placeholder : undefined;
    return { keys: { ...common, placeholder, ...limits }, remarks };
  }
  const longest = attributeOf(control, 'maxlength');
  const isEndless = Number(longest) > maxValueBytes;
  const keys = {
    ...common,
    min_length: withoutDefault(attributeOf(control, 'minlength'), '0'),
    max_length: isEndless ? undefined : longest,
    pattern: type === 'textarea' ? undefined : attributeOf(control, 'pattern'),
    rows: type === 'textarea' ? attributeOf(control, 'rows') : undefined,
  };
  // When the pattern does not match, browsers show the title, and the relay shows the help.
  const help = keys.help ?? (keys.pattern === undefined ? undefined : attributeOf(control, 'title'));
  return { keys: { ...keys, help }, remarks };
}

/**
 * A slider always sends a value. Without an initial value, it is not a question. Like browsers, this ignores invalid
 * limits, and lowers or raises `max` to a value that the slider reaches.
 */
function slider(name: string, control: Control, labels: Labels, value: string | undefined): Draft {
  const { required: _, ...common } = shown(name, control, labels);
  const numberOf = (attribute: string) => floatIn(attributeOf(control, attribute) ?? '');
  const isStepless = attributeOf(control, 'step') === 'any';
  const orElse = (n: number, fallback: number) => (Number.isNaN(n) ? fallback : n);
  const min = orElse(numberOf('min'), 0);
  const step = isStepless ? 0.01 : numberOf('step') > 0 ? numberOf('step') : 1;
  const most = Math.max(min, orElse(numberOf('max'), 100));
  const reached = Number((min + Math.floor((most - min) / step) * step).toPrecision(15));
  const keys = {
    type: 'range',
    ...common,
    required: value !== undefined || undefined,
    value,
    min: withoutDefault(String(min), '0'),
    max: withoutDefault(String(isMultiple(most, min, step) ? most : reached), '100'),
    step: withoutDefault(String(step), '1'),
  };
  const stepless = note(`${quote(name)} has no steps in the page; here, its step is 0.01`);
  return { keys, remarks: [...starred(name, control, labels), ...when(isStepless, stepless)] };
}

/** HTML counts the steps of times in seconds; `any` means no limit. */
function stepOf(type: string, step: string | undefined): string | undefined {
  if (type === 'number') return withoutDefault(step, '1');
  if (step === undefined || (type !== 'time' && type !== 'datetime')) return undefined;
  const seconds = step === 'any' ? 1 : Math.max(1, Math.round(Number(step)));
  const inMinutes = seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
  return Number.isNaN(seconds) ? undefined : withoutDefault(inMinutes, '1m');
}

/** A file field, with the file types that the config knows. */
function files(name: string, control: Control, labels: Labels): Draft {
  const named = (attributeOf(control, 'accept') ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== '*/*');
  const isKnown = (kind: string) => accepts(acceptEntries(), kind);
  const known = [...new Set(named.filter(isKnown))];
  const unknown = named.filter((kind) => !isKnown(kind));
  const strangers = `${quote(name)} accepts ${quoteAll(unknown)} in the page, which is no file type of the relay`;
  return {
    keys: {
      type: 'file',
      ...shown(name, control, labels),
      accept: known.length > 0 ? known : undefined,
      multiple: control.element.attributes.has('multiple') || undefined,
    },
    remarks: [
      ...starred(name, control, labels),
      ...when(unknown.length > 0, toDo(strangers)),
      note(`files of ${quote(name)} can be 5 MB each; change max_size if needed`),
    ],
  };
}

const wordsOfKind = (kind: string) => (kind === 'custom' ? 'a custom element' : `of type ${kind}`);
