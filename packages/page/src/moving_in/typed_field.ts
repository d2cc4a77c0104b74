import { maxValueBytes } from '@form-relay/core/base/values';
import { acceptEntries } from '@form-relay/files/accept';
import type { Control } from '../check/form_controls.ts';
import { quote, quoteAll } from '../check/page_finding.ts';
import { accepts } from './accepts.ts';
import { attributeOf, type Draft, shown, starred, textual, withoutDefault } from './field_draft.ts';
import type { Labels } from './labels.ts';
import { note, toDo } from './remark.ts';
import type { FindMistake } from './taken_keys.ts';

/** Types of which the config has others, or none. */
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

/** Types that browsers show with a control of their own, which has no placeholder. */
const timed = new Set(['date', 'time', 'datetime']);

/** A field that visitors write in, or that the page sets. */
export function typed(name: string, control: Control, labels: Labels, mistakeIn: FindMistake): Draft {
  const { kind, element } = control;
  const { attributes } = element;
  const value =
    (kind === 'textarea' ? element.text.replace(/^\n/, '') : attributes.get('value')) || undefined;
  if (kind === 'hidden') return { keys: { type: 'hidden', value } };
  if (kind === 'file') return chosen(name, control, labels);
  if (kind === 'range') return slider(name, control, labels, value, mistakeIn);
  const severalMails = kind === 'email' && attributes.has('multiple');
  const type = severalMails ? undefined : types[kind];
  const common = { type, ...shown(name, control, labels), ...textual(control), value };
  const remarks = [
    ...starred(name, control, labels),
    ...(strange.has(kind)
      ? [note(`${quote(name)} is ${wordsOfKind(kind)} in the page; here it is one line of text`)]
      : []),
    ...(attributes.has('list')
      ? [
          note(
            `the list of suggestions for ${quote(name)} is left out: visitors write what they like here, too`,
          ),
        ]
      : []),
    ...(severalMails
      ? [note(`${quote(name)} takes several addresses in the page; here it is one line of text`)]
      : []),
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
  // Browsers say the title where the pattern does not match, and the relay the help.
  const help = keys.help ?? (keys.pattern === undefined ? undefined : attributeOf(control, 'title'));
  return { keys: { ...keys, help }, remarks };
}

/** A slider always sends a value. If it would send some that our own cannot have, it is a field for numbers. */
function slider(
  name: string,
  control: Control,
  labels: Labels,
  value: string | undefined,
  mistakeIn: FindMistake,
): Draft {
  const { required: _, ...common } = { ...shown(name, control, labels), ...textual(control) };
  const [min = '0', max = '100', step] = ['min', 'max', 'step'].map((key) => attributeOf(control, key));
  const limits = { min, max, step: withoutDefault(step, '1') };
  const keys = { ...common, placeholder: undefined, required: value !== undefined || undefined, value };
  const asRange = { type: 'range', ...keys, ...limits };
  const isRange = mistakeIn({ name, ...asRange }) === undefined;
  const shortest = { ...limits, min: withoutDefault(min, '0'), max: withoutDefault(max, '100') };
  return {
    keys: isRange ? { ...asRange, ...shortest } : { type: 'number', ...keys, required: undefined, ...limits },
    remarks: starred(name, control, labels),
  };
}

/** HTML counts the steps of times in seconds, and has no limit with `any`. */
function stepOf(type: string, step: string | undefined): string | undefined {
  if (type === 'number') return withoutDefault(step, '1');
  if (step === undefined || (type !== 'time' && type !== 'datetime')) return undefined;
  const seconds = step === 'any' ? 1 : Math.max(1, Math.round(Number(step)));
  const inMinutes = seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
  return Number.isNaN(seconds) ? undefined : withoutDefault(inMinutes, '1m');
}

/** A field for files, of the kinds that the config knows. */
function chosen(name: string, control: Control, labels: Labels): Draft {
  const named = (attributeOf(control, 'accept') ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== '*/*');
  const isKnown = (kind: string) => accepts(acceptEntries(), kind);
  const known = [...new Set(named.filter(isKnown))];
  const unknown = named.filter((kind) => !isKnown(kind));
  return {
    keys: {
      type: 'file',
      ...shown(name, control, labels),
      accept: known.length > 0 ? known : undefined,
      multiple: control.element.attributes.has('multiple') || undefined,
    },
    remarks: [
      ...starred(name, control, labels),
      ...(unknown.length > 0
        ? [toDo(`${quote(name)} accepts ${quoteAll(unknown)} in the page, which is no kind of file here`)]
        : []),
      note(`the files of ${quote(name)} may have 5 MB each: max_size says otherwise`),
    ],
  };
}

const wordsOfKind = (kind: string) => (kind === 'custom' ? 'an element of its own' : `of type ${kind}`);
