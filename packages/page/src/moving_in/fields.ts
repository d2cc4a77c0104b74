import { err } from '@form-relay/base/result';
import type { Field } from '@form-relay/core/fields/field';
import { restoreSubmission } from '@form-relay/core/kit';
import { readSettings } from '@form-relay/core/settings';
import { bundledRegistry, inspectConfig } from '@form-relay/runtimes/inspect';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import type { Control } from '../check/form_controls.ts';
import { ancestry, byPlace, isWithin, type PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import type { Links } from './addresses.ts';
import type { Keys, Value } from './config_text.ts';
import { box, type Draft, group, list, typed } from './drafts.ts';
import { hasWords, type Labels, labelFor, withoutMark } from './labels.ts';
import { note, type Remark, toDo, when } from './remark.ts';

/** A field of the config, with what its owner should know. */
export interface MovedField {
  readonly name: string;
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

interface FieldContext {
  readonly own: readonly PageElement[];
  readonly labels: Labels;
  readonly links: Links;
  readonly mistakeIn: FindMistake;
}

/** The field that the controls of one name make together. */
export function fieldOf(name: string, controls: readonly Control[], context: FieldContext): MovedField {
  const { labels, links, mistakeIn } = context;
  // A hidden twin sends something where a box is not ticked; the relay knows that without it.
  const seen = controls.filter(({ kind }) => kind !== 'hidden');
  const meant = seen.length > 0 ? seen : controls;
  const draft = draftOf(name, meant, context);
  const { required: demanded, ...rest } = draft.keys;
  const isChoice = draft.keys.type === 'radios' || draft.keys.type === 'checkboxes';
  const isDisabled = meant.every(({ element }) => element.isDisabled);
  const ordered = {
    name,
    type: rest.type,
    label: rest.label,
    required: isDisabled ? undefined : demanded,
    ...rest,
    placeholder: rest.placeholder === rest.label ? undefined : rest.placeholder,
  };
  const { keys, refused } = takenKeys(ordered, mistakeIn);
  const about = quote(name);
  const isNameless = keys.label === undefined && keys.type !== 'hidden' && !hasWords(name);
  const hasTwin = seen.length > 0 && seen.length < controls.length;
  const nameless = `the page has no label for ${about}, and its name is no word: write one, as label`;
  const twin = `${about} has a hidden twin in the page, which the relay does not need; remove it there`;
  const disabled = `${about} is disabled in the page, so that it is not sent; say required: true if a script enables it`;
  return {
    name,
    keys,
    remarks: [
      ...(draft.remarks ?? []),
      ...when(isNameless, toDo(nameless)),
      // Labels of options hold no links.
      ...meant
        .flatMap((control) => labels.hrefs(control))
        .flatMap((href) => linkRemarks(name, isChoice ? undefined : links(href))),
      ...refused.map(([key, why]) => note(`${key} of ${about} is left out: ${why}`)),
      ...when(hasTwin, note(twin)),
      ...when(isDisabled, toDo(disabled)),
    ],
  };
}

function draftOf(name: string, controls: readonly Control[], { own, labels }: FieldContext): Draft {
  const [first] = controls;
  if (!first) return { keys: {} };
  const areAll = (kind: string) => controls.every((control) => control.kind === kind);
  if (areAll('radio')) return group('radios', name, controls, labels);
  if (areAll('checkbox')) {
    // Options hold no links, so a consent is a box of its own, whatever its name.
    const isGroup = controls.length > 1 || (name.endsWith('[]') && labels.hrefs(first).length === 0);
    return isGroup ? group('checkboxes', name, controls, labels) : box(name, first, labels);
  }
  const kinds = new Set(controls.map(({ kind }) => kind));
  if (kinds.size > 1) {
    const draft = typed(name, first, labels);
    const mixed = `${quote(name)} is the name of several kinds of controls; here it is one line of text`;
    return { keys: { label: draft.keys.label }, remarks: [toDo(mixed)] };
  }
  const draft = first.kind === 'select' ? list(name, first, own, labels) : typed(name, first, labels);
  if (controls.length === 1) return draft;
  const several = `${quote(name)} stands ${controls.length} times in the page; here it is one field, as its first one`;
  return { ...draft, remarks: [...(draft.remarks ?? []), toDo(several)] };
}

function linkRemarks(name: string, address: string | undefined): readonly Remark[] {
  const about = `the link in the label of ${quote(name)}`;
  if (address === undefined) return [note(`${about} is left out`)];
  const inSite = `${about} leads to ${address}, on the site that shows the form; write its whole address for others`;
  return when(address.startsWith('/'), note(inSite));
}

export type MovedGroup = {
  readonly legend: string;
  readonly fields: readonly string[];
};

/** The fieldsets of a form that have a legend. Of some inside each other, the outer one counts: groups hold no groups. */
export function groupsOf(
  own: readonly PageElement[],
  asked: readonly Control[],
  fields: readonly MovedField[],
  links: Links,
): { readonly groups: readonly MovedGroup[]; readonly remarks: readonly Remark[] } {
  const groups: MovedGroup[] = [];
  const remarks: Remark[] = [];
  const order = fields.filter(({ keys }) => keys.type !== 'hidden').map(({ name }) => name);
  const grouped = new Set<string>();
  const fieldsets = new Set(asked.flatMap(({ element }) => [...ancestry(element)])).values();
  const inOrder = [...fieldsets].filter(({ tag }) => tag === 'fieldset').toSorted(byPlace);
  for (const fieldset of inOrder) {
    const inside = asked.filter(({ element }) => isWithin(element, fieldset));
    const heading = own.find(({ tag, parent }) => tag === 'legend' && parent === fieldset);
    const legend = withoutMark(heading?.linkedWords(links) ?? '');
    const names = order.filter((name) => inside.some((control) => control.name === name));
    const [first = ''] = names;
    // A legend around one choice is its label.
    const isLabel =
      names.length === 1 &&
      fields.some(({ name, keys }) => name === first && keys.label === labelFor(first, legend));
    if (legend === '' || names.length === 0 || isLabel || names.some((name) => grouped.has(name))) continue;
    const start = order.indexOf(first);
    const isWhole =
      names.every((name, index) => order[start + index] === name) &&
      asked.every(({ name, element }) => !names.includes(name) || isWithin(element, fieldset));
    if (!isWhole) {
      remarks.push(note(`the legend ${quote(legend)} is left out: its fields do not follow each other here`));
      continue;
    }
    groups.push({ legend, fields: names });
    for (const name of names) grouped.add(name);
  }
  return { groups, remarks };
}

type Mistake = readonly [key: string, why: string];

/** What the config would refuse of a field; `undefined` if nothing. */
export type FindMistake = (keys: Keys) => Mistake | undefined;

/** The keys without those that the field types refuse: pages hold malformed patterns and limits, which browsers ignore. */
function takenKeys(keys: Keys, mistakeIn: FindMistake) {
  const refused: Mistake[] = [];
  let rest = keys;
  for (;;) {
    const mistake = mistakeIn(rest);
    if (mistake === undefined) return { keys: rest, refused };
    refused.push(mistake);
    rest = { ...rest, [mistake[0]]: undefined };
  }
}

export async function openMistakeFinder(): Promise<FindMistake> {
  const { field: read, english } = await bundledRegistry();
  const valueMistake = await openValueCheck();
  return (keys) => {
    const at = new Diagnostics();
    const field = read(asWritten(keys), at);
    const [mistake] = at.mistakes;
    if (!mistake) {
      const refused = field && valueMistake(field);
      return refused && ['value', english.translate(refused)];
    }
    const { path, message } = mistake;
    const [key] = path;
    // Its name and its options were looked at before.
    if (typeof key !== 'string' || keys[key] === undefined) throw new Error(`no field: ${message}`);
    return [key, message];
  };
}

/** What the relay would answer to the value of a field. */
async function openValueCheck() {
  const config = 'forms: {any: {fields: [], outputs: [{type: http_post, url: "https://site.invalid"}]}}';
  const parsed = await inspectConfig(config, { name: '', readSibling: async () => err('there is none') });
  const form = parsed.ok ? parsed.value.forms.get('any') : undefined;
  if (!form) throw new Error('a form without fields does not load');
  const made = { requestId: '', receivedAt: Date.now(), values: new Map() };
  const submission = restoreSubmission(form, made, readSettings({}));
  return ({ value = [], check }: Field) => {
    const filled = value.filter((one) => one !== '');
    return filled.length > 0 ? check(filled, submission) : undefined;
  };
}

/** As the config's text arrives at its schema. */
function asWritten(value: Value | undefined): unknown {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(asWritten);
  const entries = Object.entries(value as Keys).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, asWritten(inner)]));
}
