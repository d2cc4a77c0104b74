/**
 * A field as JSON Schema 2020-12. Everything that JSON Schema cannot express, and how to show the field, is
 * in `x-field` (docs/form-data.md).
 */
import { createHash } from 'node:crypto';
import { addressForm } from '@form-relay/base/canonical';
import { isMultiple } from '@form-relay/base/unicode';
import { maxValueBytes } from '@form-relay/base/values';
import { labelOf, labelText } from '@form-relay/core/fields/label';
import type { Field, Locale, LocalizedText, Values } from '@form-relay/core/index';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** How fields are shown: the language, and the values of a link or a query. */
export interface Showing {
  readonly locale: Locale;
  readonly values: Values;
  readonly locked?: ReadonlySet<string> | undefined;
}

/** Keys of types and extensions. A field has only some of them. */
interface Keys {
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: number | string;
  readonly pattern?: { readonly source: string };
  readonly min_choices?: number;
  readonly max_choices?: number;
  readonly least?: number;
  readonly most?: number;
  readonly max_files?: number;
  readonly accept?: readonly { readonly attribute: readonly string[] }[];
}

/** Keys that renderers get unchanged from the config, and those with words for visitors. */
const plain = 'autocomplete country differs_from max_size min max rows same_as step version width'.split(' ');
const worded = 'add_label high item low placeholder prefix suffix'.split(' ');

export function fieldSchema(field: Field, showing: Showing): JsonSchema {
  const { locale, values, locked } = showing;
  const { label, help, hint, name, type, required, visible_when, required_when, derive } = field;
  const about = [help && locale.text(help), ...[hint ?? []].flat().map(locale.translate)].filter(Boolean);
  const own = valueSchema(field, showing);
  const initial = field.inputs ? [] : (values.get(name) ?? field.value ?? []).filter(Boolean);
  const numeric = own.type === 'number' || own.type === 'integer';
  const typed = numeric ? initial.map(Number) : initial;
  const value = own.type === 'array' ? typed : typed[0];
  const all: Readonly<Record<string, unknown>> = { ...field };
  const { accept, pattern }: Keys = field as Field & Keys;
  return {
    title: label === undefined ? labelOf(field, locale) : labelText(label, locale),
    ...(about.length > 0 && { description: about.join(' ') }),
    ...own,
    ...(initial.length > 0 && { default: value }),
    ...(locked?.has(name) && value !== undefined && { const: value }),
    ...((derive || locked?.has(name)) && { readOnly: true }),
    'x-field': {
      ...{ type, required, visible_when, required_when },
      ...Object.fromEntries(plain.map((key) => [key, all[key]])),
      ...Object.fromEntries(worded.map((key) => [key, all[key] && locale.text(all[key] as LocalizedText)])),
      pattern: pattern?.source,
      accept: accept?.flatMap(({ attribute }) => attribute),
    },
  };
}

function valueSchema(field: Field, showing: Showing): JsonSchema {
  const { offered, takesSeveral, takeFiles, inputs, derive, comparedAs } = field;
  const { min_choices = 1, max_choices, max_files = 10 }: Keys = field as Field & Keys;
  if (derive) return {};
  if (inputs) return inputsSchema(field, showing);
  if (takeFiles) return { type: 'array', items: {}, minItems: 1, maxItems: takesSeveral ? max_files : 1 };
  if (offered) {
    const one = choiceSchema(field, showing);
    const minItems = Math.max(1, min_choices);
    return takesSeveral
      ? { type: 'array', items: one, uniqueItems: true, minItems, maxItems: max_choices }
      : one;
  }
  if (comparedAs === 'number') return numberSchema(field as Field & Keys);
  const isMoment = /^(date|time|datetime)$/.test(field.type);
  return { type: 'string', ...formatOf(field), ...(!isMoment && lengthsOf(field)) };
}

/** The options that can currently be selected, with their labels. */
function choiceSchema({ type, label, options, offered = [], words }: Field, { locale }: Showing): JsonSchema {
  // The value is a hash of the wording in this language.
  if (type === 'consent') {
    const wording = label === undefined ? '' : labelText(label, locale);
    return { type: 'string', const: createHash('sha256').update(wording).digest('hex') };
  }
  const full = new Set(options?.flatMap(({ value, disabled }) => (disabled ? value : [])));
  const open = offered.filter((value) => !full.has(value));
  if (offered.length === 1 && open[0] !== undefined) return { type: 'string', const: open[0] };
  const choices = open.map((value) => ({ const: value, title: words([value], locale)[0] }));
  return choices.length > 0 ? { type: 'string', oneOf: choices } : { not: {} };
}

function numberSchema({ min, max, step, value: [initial] = [] }: Field & Keys): JsonSchema {
  const by = Number(step);
  const base = Number(min ?? initial) || 0;
  const isWhole = Number.isInteger(by) && Number.isInteger(base);
  const isOnStep = by > 0 && by !== 1 && isMultiple(base, 0, by);
  const limits = { minimum: min, maximum: max, multipleOf: isOnStep ? by : undefined };
  return { type: isWhole ? 'integer' : 'number', ...limits };
}

const clock = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?';

/** JSON Schema formats by field type. */
const formats: Readonly<Record<string, JsonSchema>> = {
  email: { format: 'email', pattern: addressForm.source },
  url: { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\p{Cc}]+$' },
  date: { format: 'date' },
  time: { pattern: `^${clock}$` },
  datetime: { pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${clock}$` },
};

function formatOf(field: Field): JsonSchema {
  const { pattern }: Keys = field as Field & Keys;
  const { pattern: first, ...format } = formats[field.type] ?? {};
  const own = pattern && wholePattern(pattern.source);
  // A schema can have only one pattern.
  if (first && own) return { ...format, pattern: first, allOf: [{ pattern: own }] };
  return { ...format, ...((first || own) && { pattern: first ?? own }) };
}

/**
 * Converts a pattern of HTML, which has the `v` flag and must match the whole value, to the notation of JSON
 * Schema, which has the `u` flag. `undefined`: that is not possible.
 */
export function wholePattern(source: string): string | undefined {
  if (/&&|--|\[[^\]\\]*\[/.test(source)) return undefined;
  try {
    return new RegExp(`^(?:${source})$`, 'u').source;
  } catch {
    return undefined;
  }
}

const lengthsOf = ({ min_length = 1, max_length = maxValueBytes }: Field): JsonSchema => ({
  minLength: Math.max(1, min_length),
  maxLength: Math.min(max_length, maxValueBytes),
});

/** The inputs of a field as one value: an object, or a list of objects. */
function inputsSchema(field: Field, showing: Showing): JsonSchema {
  const { inputs, required } = field;
  const { least = 0 }: Keys = field as Field & Keys;
  // Assumes that every input has a value, so that inputs that some values make required are also included.
  const answers = new Map(inputs?.all.map(({ name }) => [name, ['-']]));
  const all = inputs?.validated(answers) ?? [];
  const rows = new Set(inputs?.all.map(({ path }) => path?.[1]));
  const members = inputs?.shape === 'list' ? all.filter(({ path }) => path?.[1] === 0) : all;
  const named = members.map((input) => [String(input.path?.at(-1)), input] as const);
  const one = objectSchema(named, showing);
  if (inputs?.shape !== 'list') return one;
  // Allows one more than the limit, so that the relay can report too many.
  return {
    type: 'array',
    items: one,
    minItems: Math.max(1, least, Number(required)),
    maxItems: rows.size - 1,
  };
}

/** An object whose properties are fields with these names. Empty values are omitted. */
export const objectSchema = (
  named: readonly (readonly [name: string, field: Field])[],
  showing: Showing,
) => ({
  type: 'object',
  properties: Object.fromEntries(named.map(([name, field]) => [name, fieldSchema(field, showing)])),
  required: named.flatMap(([name, { required, visible_when, derive }]) =>
    required && !visible_when && !derive ? name : [],
  ),
  minProperties: 1,
  additionalProperties: false as boolean,
});
