/** The gallery's recipes, and what they say about outputs made from them: pure functions. */

import type { Variable } from '@form-relay/starters/mail_config';
import type { Recipe } from '@form-relay/starters/recipes';
import { isDotted } from '../../../edit/form_edits.ts';
import { isEqual, isMap, type Json, type JsonMap, listOf, mapOf, valueAt } from '../../../edit/model.ts';
import { readConfig } from '../../../edit/read.ts';
import { type Field, fieldOf } from '../../schema_nodes.ts';

export type { Recipe };
export type Output = JsonMap;

/** Replaces titles that would be ambiguous outside their own page. */
const titles: Readonly<Record<string, string>> = {
  smtp: 'E-mail through your mail server',
  folder: 'A folder on the server',
  s3: 'A bucket (S3)',
  http_post: 'Zapier, Make, n8n, any address',
  webhook: 'Webhook: JSON to any service',
};
export const titleOf = ({ name, title }: Pick<Recipe, 'name' | 'title'>): string => titles[name] ?? title;

/** Whether the recipe matches every search word. */
export function isFoundBy(recipe: Recipe, sought: string): boolean {
  const { name, title, needs, summary, alsoCalled } = recipe;
  const text = [titleOf(recipe), title, name, needs, summary, alsoCalled].join(' ').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The title of an output that matches no recipe: what its type does. */
export const typeTitle = (type: string, recipes: readonly Recipe[]): string => {
  if (type === 'http_post') return 'Web address (HTTP POST)';
  if (type === 'webhook') return 'Webhook (JSON)';
  const recipe = recipes.find(({ name }) => name === type);
  return recipe ? titleOf(recipe) : type;
};

const formOf = new WeakMap<Recipe, JsonMap>();

/** A recipe's form, cached: each card compares its output with all recipes on each render. */
function formIn(recipe: Recipe): JsonMap {
  const forms = () => Object.values(mapOf(valueAt(readConfig(recipe.config).value, ['forms'])));
  const form = formOf.get(recipe) ?? mapOf(forms()[0]);
  formOf.set(recipe, form);
  return form;
}

export const outputsIn = (recipe: Recipe): readonly Output[] => listOf(formIn(recipe).outputs).filter(isMap);

/** A recipe's outputs, adapted to a form with these fields. */
export function outputsFor(recipe: Recipe, fields: readonly Fitted[]): readonly Output[] {
  const theirs = listOf(formIn(recipe).fields).flatMap(fieldOf);
  const match = matching(theirs, fields);
  return outputsIn(recipe).map((output) => adapted(output, match));
}

/** Environment variables that an output names, and the one that `email` reads without naming it. */
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

/** Like `variablesOf`, plus the documented variables that no output of the recipe names. */
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

/** The recipe that matches an output: same type, and same host if several services share the type. Mail providers come first. */
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

/** Names of the receiver that the recipe maps and this output does not. */
export function unmapped(output: Output, recipe: Recipe | undefined): readonly string[] {
  // In these two recipes, the receiver's names are only examples.
  if (!recipe || output.mapping === '*' || /^(http_post|webhook)$/.test(recipe.name)) return [];
  const known = { ...mapOf(output.mapping), ...mapOf(output.static) };
  return Object.keys(mapOf(outputsIn(recipe)[0]?.mapping)).filter((key) => !(key in known));
}

/** Makes a new form load until its first output is chosen. The host never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Whether no output has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && isEqual(outputs[0], placeholder);

/** Adapts a recipe's outputs to a form with different fields: pure functions over both. */

/** The properties of a field that matching needs. */
type Fitted = Pick<Field, 'name' | 'label' | 'type' | 'autocomplete' | 'options'>;

/** The form's field that corresponds to a field of the recipe. */
type Match = (name: string) => string | undefined;

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Matches by name, then by autocomplete, then by type; a first name matches a name. Fields with options match only by name. */
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

/** Replaces field names by the form's own; removes or empties what names a missing field. */
function adapted(output: Output, match: Match): Output {
  const entries = Object.entries(output).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    if (key === 'mapping' && isMap(value)) {
      const rows = Object.entries(value).map(([theirs, name]) => [theirs, match(String(name))] as const);
      const found = rows.filter((row): row is [string, string] => row[1] !== undefined);
      return found.length === 0 ? [] : [[key, Object.fromEntries(found)]];
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
      // When one of two names is removed, so is the comma between them.
      return isCut && !hasWords ? made.replace(/^[\s,]+|[\s,]+$/g, '') : made;
    })
    .join('\n');
}

/** `undefined` if one of its fields has no match. */
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
