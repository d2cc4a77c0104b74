import type { Json } from '../../../edit/model.ts';
import { isDotted } from '../../../edit/template_names.ts';
import type { Field } from '../../fields_in.ts';
import { isMap } from '../../schema_nodes.ts';

/** A form needs an output to load: this one stands for it in a new form until the first is chosen. The address never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Nothing has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && JSON.stringify(outputs[0]) === JSON.stringify(placeholder);

/** Outputs of a recipe, made to fit a form of other fields: pure functions over both. */

/** A field as far as matching reads it. */
export type Fitted = Pick<Field, 'name' | 'label' | 'type' | 'autocomplete' | 'options'>;

type Entry = { readonly [key: string]: Json };

/** The form's field that stands for a field of the recipe, if any. */
type Match = (name: string) => string | undefined;

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** By name, else by what the browser fills in, else by type; a first name stands for a name. Choices only fit by name. */
export const matching =
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
export function adapted(output: Entry, match: Match): Entry {
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
