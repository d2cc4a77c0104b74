/** Outputs of a recipe, made to fit a form of other fields: pure functions over both. */
import type { Json } from '../../../edit/index.ts';
import { isDotted } from '../../../edit/template_names.ts';
import { isMap } from '../../schema_nodes.ts';

/** A field as far as matching reads it. */
export interface Fitted {
  readonly name: string;
  readonly type: string;
  readonly autocomplete: string;
}

type Entry = { readonly [key: string]: Json };

/** Which of the form's fields stand for a field of the recipe: none, one, or a first and a last name for a name. */
type Match = (name: string) => readonly string[];

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names and types that say the same in most forms. The first that fits wins. */
const roles: readonly (readonly [role: string, fits: (field: Fitted) => boolean])[] = [
  [
    'email',
    ({ name, type, autocomplete }) =>
      type === 'email' || autocomplete === 'email' || /^e?mail/.test(plain(name)),
  ],
  ['phone', ({ name, type }) => type === 'tel' || /phone|mobile/.test(plain(name))],
  [
    'first',
    ({ name, autocomplete }) => autocomplete === 'given-name' || /^(first|given|fore)name$/.test(plain(name)),
  ],
  [
    'last',
    ({ name, autocomplete }) => autocomplete === 'family-name' || /^(last|family|sur)name$/.test(plain(name)),
  ],
  [
    'company',
    ({ name, autocomplete }) =>
      autocomplete === 'organization' || /^(company|organi[sz]ation|firm)/.test(plain(name)),
  ],
  ['name', ({ name, autocomplete }) => autocomplete === 'name' || /^(full|your)?name$/.test(plain(name))],
  [
    'message',
    ({ name, type }) => type === 'textarea' || /^(message|comment|question|request)s?$/.test(plain(name)),
  ],
];

const roleOf = (field: Fitted) => roles.find(([, fits]) => fits(field))?.[0];

/** By name, else by what the field is for. Other types, such as choices, fit by name alone. */
export function matching(theirs: readonly Fitted[], ours: readonly Fitted[]): Match {
  return (name) => {
    const same = ours.find((one) => plain(one.name) === plain(name));
    if (same) return [same.name];
    const field = theirs.find((one) => one.name === name);
    const role = field && roleOf(field);
    if (role === undefined) return [];
    const [fit] = ours.filter((one) => roleOf(one) === role);
    if (fit) return [fit.name];
    const [first, last] = ['first', 'last'].map((part) => ours.find((one) => roleOf(one) === part)?.name);
    return role === 'name' && first !== undefined && last !== undefined ? [first, last] : [];
  };
}

/** The output with the form's own fields; what names a field that the form lacks is left out, or empty. */
export function adapted(output: Entry, match: Match): Entry {
  const entries = Object.entries(output).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    if (key === 'mapping') {
      const mapping = isMap(value) ? mapped(value, match) : value;
      return isMap(mapping) && Object.keys(mapping).length === 0 ? [] : [[key, mapping]];
    }
    if (key === 'when' && isMap(value)) {
      const [field] = match(String(value.field));
      return field === undefined ? [] : [[key, { ...value, field }]];
    }
    const made = inside(value, match);
    return made === undefined || (made === '' && value !== '') ? [] : [[key, made]];
  });
  const made = Object.fromEntries(entries);
  // A name without an address has no effect.
  if (made.reply_to === undefined) delete made.reply_to_name;
  return made;
}

const mapped = (mapping: Entry, match: Match): Entry =>
  Object.fromEntries(
    Object.entries(mapping).flatMap(([key, name]) => {
      const fits = match(String(name));
      return fits.length === 1 ? [[key, fits[0] as string]] : [];
    }),
  );

function inside(value: Json, match: Match): Json | undefined {
  if (typeof value === 'string') return inText(value, match);
  if (Array.isArray(value)) {
    const items = value.map((one: Json) => inside(one, match)).filter((one) => one !== undefined);
    return items.length === 0 && value.length > 0 ? undefined : items;
  }
  if (!isMap(value)) return value;
  if ('$field' in value) {
    const fits = match(String(value.$field));
    return fits.length === 1 ? { ...value, $field: fits[0] as string } : undefined;
  }
  const entries = Object.entries(value).flatMap(([key, one]): readonly (readonly [string, Json])[] => {
    const made = inside(one, match);
    return made === undefined ? [] : [[key, made]];
  });
  return entries.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(entries);
}

const action = /\{\{.*?\}\}/gs;
const reference = /\.(fields|labels)\.([\p{L}\p{N}_-]+)|\(?values "([^"]+)"\)?/gu;

function inText(text: string, match: Match): string {
  return text
    .split('\n')
    .map((line) => {
      const hasWords = /\p{L}/u.test(line.replaceAll(action, ''));
      let isCut = false;
      const made = line.replaceAll(action, (code) => {
        const adaptedCode = inAction(code, match);
        if (adaptedCode !== undefined) return adaptedCode;
        isCut = true;
        return hasWords ? '{{ .form.id }}' : '';
      });
      // A comma between two names does not stay with one.
      return isCut && !hasWords ? made.replace(/^[\s,]+|[\s,]+$/g, '') : made;
    })
    .join('\n');
}

/** `undefined` where a field of it has no match. */
function inAction(code: string, match: Match): string | undefined {
  const named = [...code.matchAll(reference)].map(([, , dotted, listed]) =>
    match((dotted ?? listed) as string),
  );
  if (named.some((fits) => fits.length === 0)) return undefined;
  const [only] = named;
  if (only?.length === 2) {
    const isPlain = /^\{\{\s*\.fields\.[\w-]+\s*\}\}$/.test(code);
    return isPlain ? only.map((name) => `{{ ${operand('fields', name)} }}`).join(' ') : undefined;
  }
  if (named.some((fits) => fits.length > 1)) return undefined;
  return code.replaceAll(reference, (whole: string, part: string | undefined, dotted, listed) => {
    const [name = ''] = match(dotted ?? listed);
    return part === undefined ? whole.replace(`"${listed}"`, JSON.stringify(name)) : operand(part, name);
  });
}

const operand = (part: string, name: string) =>
  isDotted(name) ? `.${part}.${name}` : `(join "," (values ${JSON.stringify(name)}))`;
