/** The gallery's recipes, and what they say of an output that was made from one: pure functions. */

import type { Variable } from '@form-relay/starters/mail_config';
import type { Recipe } from '@form-relay/starters/recipes';
import { isDotted } from '../../../edit/form_edits.ts';
import type { Json } from '../../../edit/model.ts';
import { readConfig } from '../../../edit/read.ts';
import { type Field, fieldOf, isMap, listOf } from '../../schema_nodes.ts';

export type { Recipe };
export type Output = { readonly [key: string]: Json };

/** Titles that would stand there twice, or mean little without their page. */
const titles: Readonly<Record<string, string>> = {
  smtp: 'E-mail through your mail server',
  folder: 'A folder on the server',
  s3: 'A bucket (S3)',
  http_post: 'Zapier, Make, n8n, any address',
  webhook: 'Webhook: JSON to any service',
};
export const titleOf = ({ name, title }: Pick<Recipe, 'name' | 'title'>): string => titles[name] ?? title;

/** Whether a search finds it: by each of the words sought. */
export function isFoundBy(recipe: Recipe, sought: string): boolean {
  const { name, title, needs, summary, alsoCalled } = recipe;
  const text = [titleOf(recipe), title, name, needs, summary, alsoCalled].join(' ').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** An output that is of no service's recipe says what its type does. */
export const typeTitle = (type: string, recipes: readonly Recipe[]): string => {
  if (type === 'http_post') return 'Web address (HTTP POST)';
  if (type === 'webhook') return 'Webhook (JSON)';
  const recipe = recipes.find(({ name }) => name === type);
  return recipe ? titleOf(recipe) : type;
};

const formOf = new WeakMap<Recipe, Output>();

/** The form of a recipe, read once: each card compares its output with all recipes each time it is drawn. */
function formIn(recipe: Recipe): Output {
  const known = formOf.get(recipe);
  if (known) return known;
  const config = readConfig(recipe.config).value;
  const forms = isMap(config) ? config.forms : undefined;
  const first = isMap(forms) ? Object.values(forms)[0] : undefined;
  const form = isMap(first) ? first : {};
  formOf.set(recipe, form);
  return form;
}

export const outputsIn = (recipe: Recipe): readonly Output[] =>
  listOf(formIn(recipe).outputs).filter((one) => isMap(one));

/** The outputs of a recipe for a form with these fields. */
export function outputsFor(recipe: Recipe, fields: readonly Fitted[]): readonly Output[] {
  const theirs = listOf(formIn(recipe).fields).flatMap((field) => fieldOf(field));
  const match = matching(theirs, fields);
  return outputsIn(recipe).map((output) => adapted(output, match));
}

/** The environment variables that an output names, and the one that `email` needs without naming it. */
export function variablesOf(output: Json, isTop = true): readonly string[] {
  const named = isTop && isMap(output) && output.type === 'email' ? ['MAIL_FROM_ADDRESS'] : [];
  if (typeof output === 'string')
    return [...output.matchAll(/\benv "(\w+)"/g)].map(([, name]) => name as string);
  if (Array.isArray(output)) return [...new Set(output.flatMap((one: Json) => variablesOf(one, false)))];
  if (!isMap(output)) return [];
  const inside = Object.entries(output).flatMap(([key, value]) =>
    key.endsWith('_env') && typeof value === 'string' ? [value] : variablesOf(value, false),
  );
  return [...new Set([...named, ...inside])];
}

/** These variables, and what no output of the recipe names but its service needs. */
export function variablesToSet(output: Output, recipe: Recipe | undefined): readonly Partial<Variable>[] {
  const { variables: documented = [] } = recipe ?? {};
  const named = variablesOf(output);
  const inRecipe = recipe ? outputsIn(recipe).flatMap((one) => variablesOf(one)) : [];
  return [
    ...named.map((name) => documented.find((one) => one.name === name) ?? { name }),
    ...documented.filter(({ name }) => !named.includes(name) && !inRecipe.includes(name)),
  ];
}

const hostOf = (output: Output): string =>
  typeof output.url === 'string' ? (/^https?:\/\/([^/]+)/.exec(output.url)?.[1] ?? '') : '';

/** The recipe that an output is of: same type, and same host where several services share a type. Mail providers come first. */
export function recipeOf(output: Output, recipes: readonly Recipe[]): Recipe | undefined {
  const isShared = output.type === 'webhook' || output.type === 'http_post';
  return recipes.find((recipe) => {
    if (recipe.hosts && output.type !== 'email')
      return recipe.hosts.includes(String(output.host).toLowerCase());
    const [first] = outputsIn(recipe);
    if (first === undefined || first.type !== output.type) return false;
    if (!isShared) return true;
    const host = hostOf(first);
    return host === ''
      ? first.url_env !== undefined && first.url_env === output.url_env
      : host === hostOf(output);
  });
}

/** Names of the receiver for which the recipe has a field and this output none. */
export function unmapped(output: Output, recipe: Recipe | undefined): readonly string[] {
  const theirs = recipe && outputsIn(recipe)[0]?.mapping;
  const ours = output.mapping;
  // The names of these two are examples themselves.
  if (!isMap(theirs) || ours === '*' || recipe?.name === 'http_post' || recipe?.name === 'webhook') return [];
  const fixed = isMap(output.static) ? output.static : {};
  return Object.keys(theirs).filter((key) => !(isMap(ours) && key in ours) && !(key in fixed));
}

/** A form needs an output to load: this one stands for it in a new form until the first is chosen. The address never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Nothing has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && JSON.stringify(outputs[0]) === JSON.stringify(placeholder);

/** Outputs of a recipe, made to fit a form of other fields: pure functions over both. */

/** A field as far as matching reads it. */
type Fitted = Pick<Field, 'name' | 'label' | 'type' | 'autocomplete' | 'options'>;

type Entry = { readonly [key: string]: Json };

/** The form's field that stands for a field of the recipe, if any. */
type Match = (name: string) => string | undefined;

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** By name, else by what the browser fills in, else by type; a first name stands for a name. Choices only fit by name. */
const matching =
  (theirs: readonly Fitted[], ours: readonly Fitted[]): Match =>
  (name) => {
    const field = theirs.find((one) => one.name === name);
    const ways: readonly ((one: Fitted) => boolean)[] = [
      (one) => plain(one.name) === plain(name),
      ({ autocomplete }) => autocomplete !== '' && autocomplete === field?.autocomplete,
      (one) =>
        name === 'name' &&
        (one.autocomplete === 'given-name' ||
          [one.name, one.label].some((words) => /^(?:full|your|first)?name$/.test(plain(words)))),
      ({ type, options }) => type !== 'text' && options.length === 0 && type === field?.type,
    ];
    return ways.map((fits) => ours.find(fits)).find((one) => one !== undefined)?.name;
  };

/** The output with the form's own fields; what names a field that the form lacks is left out, or empty. */
function adapted(output: Entry, match: Match): Entry {
  const entries = Object.entries(output).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    if (key === 'mapping') {
      const mapping = isMap(value) ? mapped(value, match) : value;
      return isMap(mapping) && Object.keys(mapping).length === 0 ? [] : [[key, mapping]];
    }
    if (key === 'when' && isMap(value)) {
      const field = match(String(value.field));
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
      const field = match(String(name));
      return field === undefined ? [] : [[key, field]];
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
    const field = match(String(value.$field));
    return field === undefined ? undefined : { ...value, $field: field };
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
  let isWhole = true;
  const made = code.replaceAll(reference, (whole: string, part: string | undefined, dotted, listed) => {
    const name = match(dotted ?? listed);
    isWhole &&= name !== undefined;
    if (name === undefined) return whole;
    return part === undefined ? whole.replace(`"${listed}"`, JSON.stringify(name)) : operand(part, name);
  });
  return isWhole ? made : undefined;
}

const operand = (part: string, name: string) =>
  isDotted(name) ? `.${part}.${name}` : `(join "," (values ${JSON.stringify(name)}))`;
