/** Makes forms of what other products export. Tables in formats/ say where everything is. */
import { quote, quoteAll } from '@form-relay/page/check/page_finding';
import { isAddress, redirectTo } from '@form-relay/page/moving_in/addresses';
import type { Keys, Value } from '@form-relay/page/moving_in/config_text';
import type { MovedField } from '@form-relay/page/moving_in/fields';
import { mail } from '@form-relay/page/moving_in/outputs';
import { languageOf, type MovedForm, slug } from '@form-relay/page/moving_in/read_form';
import { note, type Remark, toDo, when } from '@form-relay/page/moving_in/remark';
import { isMap } from '@form-relay/schema/schema';
import { at, made, matching, textAt } from './paths.ts';

type Table<V> = Readonly<Record<string, V>>;

/** Patterns, one of which something at each path matches. In its words, `$` is what matched. */
interface Saying {
  readonly match: Table<string>;
  readonly note?: string;
  readonly to_do?: string;
}

/** Recipes for the keys of a field; or the path of the fields in a group. */
interface Kind {
  readonly match?: Table<string>;
  readonly keys?: Table<unknown>;
  readonly inside?: string;
  readonly is?: 'page' | 'nothing';
}

type Paths = 'forms' | 'id' | 'title' | 'language' | 'redirect' | 'recipients' | 'outputs';
type FieldPaths = 'name' | 'label' | 'help' | 'required' | 'type';

/** A table of formats.json: paths in the form, or in a field, and what else differs. */
export interface Format extends Readonly<Partial<Record<Paths | FieldPaths, string>>> {
  /** A file of this format has all paths of one of these lists. */
  readonly has: readonly (readonly string[])[];
  readonly items: string;
  readonly parts?: 'groups' | 'steps';
  /** Recipes for keys of the form. */
  readonly keys?: Table<unknown>;
  /** The first that matches a field is its kind. */
  readonly kinds: readonly Kind[];
  readonly remarks: readonly Saying[];
  readonly says: readonly Saying[];
  /** Where most keys are ours: those that are not, and our words for others. */
  readonly without?: readonly string[];
  readonly words?: Table<string>;
}

export function readForm(form: unknown, format: Format): MovedForm {
  const title = textAt(form, format.title);
  const fields: MovedField[] = [];
  const lost: Remark[] = [];
  const parts = [{ title: title ?? 'Part 1', fields: [] as string[] }];
  const taken = new Set<string>();
  const add = (item: unknown, depth = 0): void => {
    const { keys, is, inside } = format.kinds.find(({ match = {} }) => heard(item, match)) ?? {};
    const label = textAt(item, format.label);
    if (depth === 0 && (is === 'page' || format.parts === 'groups'))
      parts.push({ title: label ?? `Part ${parts.length + 1}`, fields: [] });
    // Nobody nests groups deeper, and the stack has an end.
    if (inside !== undefined && depth < 3) for (const one of at(item, inside)) add(one, depth + 1);
    else if (keys) {
      const field = fieldOf(item, keys, format, taken);
      fields.push(field);
      const isInPart = format.parts === 'steps' || depth > 0;
      if (isInPart && field.name !== '') parts.at(-1)?.fields.push(field.name);
    } else if (is === undefined) {
      const type = textAt(item, format.type);
      const called = `${quote(label ?? '')}${type ? ` (${type})` : ''}`;
      lost.push(toDo(`${called} is left out: the relay has nothing like it`));
    }
  };
  for (const item of at(form, format.items)) add(item);
  const runs = parts.filter(({ fields }) => fields.length > 0);
  const recipients = matching(form, format.recipients, '.*').filter(isAddress);
  const outputs = at(form, format.outputs).map((one) => ({ keys: asWritten(one, format), remarks: [] }));
  return {
    id: textAt(form, format.id) ?? (slug(title ?? '') || 'contact'),
    title,
    language: languageOf(textAt(form, format.language)),
    redirect: redirectTo(textAt(form, format.redirect), undefined),
    keys: { ...asWritten(form, format), ...made(format.keys ?? {}, form) },
    fields,
    groups: format.parts === 'groups' ? runs.map(({ title, fields }) => ({ legend: title, fields })) : [],
    steps: format.parts === 'steps' && runs.length > 1 ? runs : [],
    outputs: outputs.length > 0 ? outputs : [mail(recipients, fields)],
    remarks: [...lost, ...said(format.says, form)],
  };
}

function fieldOf(item: unknown, recipes: Table<unknown>, format: Format, taken: Set<string>): MovedField {
  const own = made(recipes, item);
  if ('note' in recipes)
    return { name: '', keys: own, remarks: said(format.remarks, item, `${quote(String(own.note))} `) };
  const label = textAt(item, format.label);
  const name = format.name === undefined ? freeName(label, taken) : (textAt(item, format.name) ?? '');
  const required = matching(item, format.required, 'true').length > 0 || undefined;
  const shown = { label, required, help: textAt(item, format.help) };
  return {
    name,
    keys: { name, type: own.type, ...shown, ...asWritten(item, format), ...own },
    remarks: said(format.remarks, item, `${quote(label ?? name)} `),
  };
}

/** Words of the label that name no other field. */
function freeName(label = '', taken: Set<string>): string {
  const base = slug(label).replaceAll('-', '_').slice(0, 40) || 'question';
  const name = taken.has(base) ? `${base}_${taken.size + 1}` : base;
  taken.add(name);
  return name;
}

/** The keys that are ours already. */
function asWritten(item: unknown, { without, words = {} }: Format): Keys {
  const read = (value: unknown): Value | undefined => {
    if (Array.isArray(value)) return value.flatMap((one) => read(one) ?? []);
    if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(one)]));
    if (value === 'true' || value === 'false') return value === 'true';
    return typeof value === 'string' ? (words[value] ?? value) : undefined;
  };
  const entries = without && isMap(item) ? Object.entries(item) : [];
  return Object.fromEntries(
    entries.filter(([key]) => !without?.includes(key)).map(([key, one]) => [key, read(one)]),
  );
}

/** What matched, if each pattern did. */
function heard(item: unknown, match: Table<string>): readonly string[] | undefined {
  const found = Object.entries(match).map(([paths, pattern]) => matching(item, paths, pattern));
  return found.every(({ length }) => length > 0) ? found.flat() : undefined;
}

const said = (sayings: readonly Saying[], item: unknown, called = ''): readonly Remark[] =>
  sayings.flatMap(({ match, note: aside, to_do = '' }) => {
    const found = heard(item, match);
    const text = `${called}${(aside ?? to_do).replace('$', () => quoteAll([...new Set(found)]))}`;
    return when(found !== undefined, aside === undefined ? toDo(text) : note(text));
  });
