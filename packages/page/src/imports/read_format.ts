/** Turns exported forms of other products into forms. The tables in formats/ say where to find everything. */

import { isMap } from '@form-relay/schema/schema';
import { quote, quoteAll } from '../check/page_form.ts';
import { redirectTo } from '../moving_in/addresses.ts';
import { type Keys, note, type Remark, toDo, type Value, when } from '../moving_in/config_text.ts';
import type { MovedField } from '../moving_in/fields.ts';
import { languageOf, type MovedForm, slug } from '../moving_in/read_form.ts';
import { endingOf, mailOf, type NotifiedPaths } from './ending.ts';
import { all, at, isUsed, made, matching, type Place, readText, textAt, textOf, use } from './ledger.ts';

type Table<V> = Readonly<Record<string, V>>;

/** Patterns, each of which must match a value at its path. In the text, `$` stands for the matched value. */
interface Saying {
  /** Applies to each place of a path separately, unless another remark has covered it. */
  readonly each?: string;
  readonly match: Table<string>;
  readonly note?: string;
  readonly to_do?: string;
  /** The config key that the text describes. */
  readonly key?: string;
}

/** Recipes for the keys of a field, or the path of the fields in a group. */
interface Kind {
  readonly match?: Table<string>;
  readonly keys?: Table<unknown>;
  readonly inside?: string;
  readonly is?: 'page' | 'nothing';
  /** Advice about a question that is left out. */
  readonly instead?: string;
}

type Paths = 'forms' | 'id' | 'title' | 'language' | 'redirect' | 'ending' | 'outputs';
type FieldPaths =
  | 'name'
  | 'label'
  | 'help'
  | 'required'
  | 'type'
  | 'rows'
  | 'row_required'
  | 'sorted'
  | 'ref';

/** A table of formats/: the paths in a form or a field, and other differences between formats. */
export interface Format extends Readonly<Partial<Record<Paths | FieldPaths, string>>>, NotifiedPaths {
  /** A file has this format if it has all paths of one of these lists. */
  readonly has: readonly (readonly string[])[];
  readonly items: string;
  readonly parts?: 'groups' | 'steps';
  /** Recipes for the form's keys. */
  readonly keys?: Table<unknown>;
  /** A field is of the first kind that matches. */
  readonly kinds: readonly Kind[];
  readonly remarks: readonly Saying[];
  readonly says: readonly Saying[];
  /** Remarks about the file that contains several forms. */
  readonly file?: readonly Saying[];
  /** Path endings, optionally with values, that mean nothing to a relay. */
  readonly ignored: readonly string[];
  /** The path that says that a form accepts undeclared fields. */
  readonly undeclared?: string;
  /** For formats whose keys are mostly ours: the keys that are not, and the words to replace. */
  readonly without?: readonly string[];
  readonly words?: Table<string>;
}

/** Keeps a form's name if it is a key of a map, because pages use it. Otherwise makes a name that needs no escaping in a URL. */
const idOf = (given: string | undefined, { id }: Format, title: string | undefined): string =>
  given !== undefined && (id === '@' || /^[\w-]+$/.test(given))
    ? given
    : slug(given ?? title ?? '') || 'contact';

export const notConverted = 'relay init does not convert it';

/** The form, and the labels of its items for remarks about omissions. */
export function readForm(form: Place, format: Format) {
  const title = textAt(form, format.title);
  const fields: MovedField[] = [];
  const lost: Remark[] = [];
  const parts = [{ title: title ?? 'Part 1', fields: [] as string[] }];
  const taken = new Set<string>();
  const items = new Map<unknown, string>();
  const names = new Map<string, string>();
  const add = (item: Place, depth = 0): void => {
    const kind: Kind = format.kinds.find(({ match = {} }) => heard(item, match)) ?? {};
    const { keys, is, inside, instead = notConverted } = kind;
    const label = textAt(item, format.label);
    const called = label ?? nameIn(item, format) ?? '';
    items.set(item.value, called);
    if (depth === 0 && (is === 'page' || format.parts === 'groups'))
      parts.push({ title: label ?? `Part ${parts.length + 1}`, fields: [] });
    // Real forms do not nest groups deeper, and the stack is limited.
    const isGroup = inside !== undefined && depth < 3;
    const help = isGroup || is === 'page' || (keys && 'note' in keys) ? textAt(item, format.help) : undefined;
    if (isGroup || is === 'page') fields.push(...noteOf(help));
    if (isGroup) for (const one of at(item, inside)) add(one, depth + 1);
    else if (keys) {
      const field = fieldOf(item, keys, format, taken);
      if (field.name !== '' || field.keys.note !== undefined) fields.push(field);
      fields.push(...noteOf(help));
      const [ref] = at(item, format.ref);
      if (ref) names.set(textOf(ref), field.name);
      const isInPart = format.parts === 'steps' || depth > 0;
      if (isInPart && field.name !== '') parts.at(-1)?.fields.push(field.name);
    } else if (is === undefined) {
      const type = textAt(item, format.type);
      use(item);
      lost.push(toDo(`${quote(called)}${type ? ` (${type})` : ''} is left out: ${instead}`));
    } else if (is === 'nothing') use(item);
  };
  for (const item of at(form, format.items)) add(item);
  const runs = parts.filter(({ fields }) => fields.length > 0);
  const asks = fields.some(({ name }) => name !== '');
  const mail = mailOf(form, format, { fields, names, title });
  const outputs = at(form, format.outputs).map((one) => ({ keys: asWritten(one, format), remarks: [] }));
  const ending = endingOf(form, format.ending);
  const keys = {
    ...asWritten(form, format),
    ...made(format.keys ?? {}, form),
    ...(ending?.confirmation ? { confirmation: ending.confirmation } : {}),
    ...(!asks && format.undeclared ? { accept_undeclared: true } : {}),
  };
  const moved: MovedForm = {
    id: idOf(textAt(form, format.id), format, title),
    title,
    language: languageOf(textAt(form, format.language)),
    redirect: redirectTo(textAt(form, format.redirect) ?? ending?.redirect, undefined),
    keys,
    fields,
    groups: format.parts === 'groups' ? runs.map(({ title, fields }) => ({ legend: title, fields })) : [],
    steps: format.parts === 'steps' && runs.length > 1 ? runs : [],
    outputs: outputs.length > 0 ? outputs : [mail.output],
    remarks: [
      ...lost,
      ...when(keys.accept_undeclared === true && !asks, note(format.undeclared ?? '')),
      ...(outputs.length > 0 ? [] : mail.remarks),
      ...(ending?.remarks ?? []),
      ...said(format.says, form),
    ],
  };
  return { moved, items };
}

const noteOf = (text: string | undefined): readonly MovedField[] =>
  text === undefined ? [] : [{ name: '', keys: { note: text }, remarks: [] }];

const nameIn = (item: Place, { name }: Format) =>
  name === '@' ? item.key : name === undefined ? undefined : textAt(item, name);

function fieldOf(item: Place, recipes: Table<unknown>, format: Format, taken: Set<string>): MovedField {
  const own = made(recipes, item);
  const trigger = at(item, 'show_when')[0];
  const condition = trigger && conditionOf(trigger.value);
  const conditions = format.without?.includes('show_when') && condition ? { visible_when: condition } : {};
  if ('note' in recipes) {
    const keys = own.note === undefined ? {} : { ...own, ...conditions };
    return { name: '', keys, remarks: remarksOf(item, format, String(own.note), trigger, condition) };
  }
  const label = textAt(item, format.label);
  const name = format.name === undefined ? freeName(label, taken) : (nameIn(item, format) ?? '');
  const rows = 'rows' in recipes ? at(item, format.rows) : [];
  const demanded = rows.filter((row) => matching(row, format.row_required, 'true').map(use).length > 0);
  const isDemanded = matching(item, format.required, 'true').map(use).length > 0;
  const required = isDemanded || (rows.length > 0 && demanded.length === rows.length) || undefined;
  const isSorted = matching(item, format.sorted, 'true').map(use).length > 0;
  const shown = { label, required, help: textAt(item, format.help) };
  const keys: Keys = { name, type: own.type, ...shown, ...asWritten(item, format), ...own, ...conditions };
  const some = `${quote(label ?? name)} has some required rows; here, either all rows are required or none`;
  return {
    name,
    keys: isSorted ? { ...keys, options: sorted(keys.options) } : keys,
    remarks: [
      ...when(demanded.length > 0 && !required, toDo(some)),
      ...remarksOf(item, format, label ?? name, trigger, condition),
    ],
  };
}

const sorted = (options: Value | undefined) =>
  Array.isArray(options) ? options.toSorted(new Intl.Collator().compare) : options;

/** Remarks about the converted condition, not the original. */
function remarksOf(
  item: Place,
  format: Format,
  called: string,
  trigger: Place | undefined,
  condition: Keys | undefined,
): readonly Remark[] {
  const remarks = said(format.remarks, item, `${quote(called)} `);
  if (!trigger || !format.without?.includes('show_when')) return remarks;
  use(trigger);
  const known = `${quote(called)} has visible_when instead of show_when: values of fields that become hidden are discarded`;
  const unknown = `${quote(called)} has no visible_when, because its show_when uses unsupported tests: add visible_when for ${JSON.stringify(trigger.value).slice(0, mostShown)}`;
  return [...remarks, condition ? { ...note(known), key: 'visible_when' } : toDo(unknown)];
}

/** The longest condition in a remark, in characters. */
const mostShown = 500;

/** A name from the label's words that no other field has. */
function freeName(label = '', taken: Set<string>): string {
  const base = slug(label).replaceAll('-', '_').slice(0, 40) || 'question';
  const name = taken.has(base) ? `${base}_${taken.size + 1}` : base;
  taken.add(name);
  return name;
}

/** The keys that already have our names. */
function asWritten(item: Place, { without, words = {} }: Format): Keys {
  const read = (value: unknown): Value | undefined => {
    if (Array.isArray(value)) return value.flatMap((one) => read(one) ?? []);
    if (isMap(value))
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [words[key] ?? key, read(one)]));
    if (value === 'true' || value === 'false') return value === 'true';
    return typeof value === 'string' ? (words[value] ?? value) : undefined;
  };
  const places = without ? at(item, '{}').filter(({ key }) => !without.includes(key)) : [];
  return Object.fromEntries(
    places.map((place) => {
      use(place);
      return [place.key, read(place.value)];
    }),
  );
}

/** The matching places, if every pattern matches. A container counts as used only for a remark about it. */
function heard(item: Place, match: Table<string>, isSaid = false): readonly Place[] | undefined {
  const found: Place[] = [];
  for (const [paths, pattern] of Object.entries(match)) {
    const places = matching(item, paths, pattern);
    if (places.length === 0) return undefined;
    found.push(...places);
  }
  for (const place of found) if (isSaid || typeof place.value === 'string') use(place);
  return found;
}

export const said = (sayings: readonly Saying[], from: Place, called = ''): readonly Remark[] =>
  sayings.flatMap(({ each, match, note: remark, to_do = '', key }) => {
    const judged = each === undefined ? [from] : all(from, each).filter((one) => !isUsed(one));
    const found = judged.flatMap((one) => {
      const places = heard(one, match, true) ?? [];
      if (each !== undefined && places.length > 0) use(one);
      return places;
    });
    const values = [...new Set(found.flatMap((place) => readText(place) ?? []))];
    const text = `${called}${(remark ?? to_do).replace('$', () => quoteAll(values))}`;
    return when(found.length > 0, {
      ...(remark === undefined ? toDo(text) : note(text)),
      ...(key && { key }),
    });
  });

const tests: readonly (readonly [names: RegExp, make: (values: readonly string[]) => Keys])[] = [
  [/^(equals?|eq|is|one_of|in|any_of|==?)$/, (values) => ({ is: oneOr(values) })],
  [/^(not_equals?|neq?|is_not|not|not_one_of|not_in|none_of|!=)$/, (values) => ({ is_not: oneOr(values) })],
  [/^(filled|not_empty|is_not_empty|is_set|present|exists)$/, ([on]) => ({ filled: on !== 'false' })],
  [/^(empty|is_empty|not_filled|blank|absent)$/, ([on]) => ({ filled: on === 'false' })],
  [/^(gte|at_least|min|>=)$/, ([value = '']) => ({ at_least: value })],
  [/^(lte|at_most|max|<=)$/, ([value = '']) => ({ at_most: value })],
  [/^contains$/, (values) => ({ contains: oneOr(values) })],
  [/^(matches|pattern|regex)$/, ([value = '']) => ({ matches: value })],
  [/^before$/, ([value = '']) => ({ before: value })],
  [/^after$/, ([value = '']) => ({ after: value })],
];
/** Tests that negate other tests. */
const contrary: readonly (readonly [names: RegExp, of: string])[] = [
  [/^(gt|greater_than|more_than|>)$/, 'at_most'],
  [/^(lt|less_than|<)$/, 'at_least'],
  [/^not_contains$/, 'contains'],
  [/^not_matches$/, 'matches'],
];

const oneOr = (values: readonly string[]): Value => (values.length === 1 ? (values[0] ?? '') : values);

/** The condition in our words; `undefined` if a part of it is unknown. */
export function conditionOf(written: unknown): Keys | undefined {
  if (Array.isArray(written)) return combined('all', written);
  if (!isMap(written)) return undefined;
  const { field, op, operator, value, values, ...rest } = written;
  const entries = Object.entries(rest);
  const [first] = entries;
  if (field === undefined) {
    if (!first || entries.length > 1 || [op, operator, value, values].some((one) => one !== undefined))
      return undefined;
    const [key, inner] = first;
    if (/^(all|and|all_of)$/.test(key)) return combined('all', inner);
    if (/^(any|or|any_of)$/.test(key)) return combined('any', inner);
    const contrary = key === 'not' ? conditionOf(inner) : undefined;
    return contrary && { not: contrary };
  }
  const named = op ?? operator;
  const isApart = named !== undefined || entries.length === 0;
  const all = isApart ? [[named ?? 'equals', value ?? values], ...entries] : entries;
  if (typeof field !== 'string' || (!isApart && (value ?? values) !== undefined)) return undefined;
  const made = all.map(([name, wanted]) => testOf(field, String(name), wanted));
  const known = made.filter((one) => one !== undefined);
  if (known.length < made.length) return undefined;
  return known.length === 1 ? known[0] : { all: known };
}

function combined(key: string, parts: unknown): Keys | undefined {
  const made = Array.isArray(parts) ? parts.map(conditionOf) : [];
  const known = made.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < made.length) return undefined;
  return known.length === 1 ? known[0] : { [key]: known };
}

function testOf(field: string, name: string, wanted: unknown): Keys | undefined {
  const values = [wanted ?? []].flat().filter((one) => typeof one === 'string');
  const asks = /^(is_)?(not_)?(filled|empty|set|present|exists|blank|absent)$/.test(name);
  if (values.length === 0 && !asks) return undefined;
  const [, of] = contrary.find(([names]) => names.test(name)) ?? [];
  const [, make] = tests.find(([names]) => names.test(of ?? name)) ?? [];
  const test = make && { field, ...make(values) };
  if (!of || !test) return test;
  // An empty field is neither more nor less than a number.
  const isNumber = of.startsWith('at_');
  return isNumber ? { all: [{ field, filled: true }, { not: test }] } : { not: test };
}
