/** A form as data: JSON Schema 2020-12 for a submission, with the layout, URLs and texts that a program needs to show it. */

import type { Condition, Test } from '@form-relay/base/condition';
import { apiPath } from '@form-relay/core/html/element_ids';
import type { Field, Form, Locale, Values } from '@form-relay/core/index';
import type {} from '@form-relay/languages/index';
import type {} from '@form-relay/more-fields/layout/groups';
import type {} from '@form-relay/spam/captcha/captcha';
import { type JsonSchema, objectSchema, wholePattern } from './field_schema.ts';

export interface Described {
  readonly locale: Locale;
  /** The part of the form's URLs before `/api/v1`. */
  readonly base: string;
  /** The fields as shown, for example with options that are full. Default: those of the config. */
  readonly fields?: readonly Field[] | undefined;
  readonly values?: Values;
  readonly locked?: ReadonlySet<string> | undefined;
  /** Inputs to include in the submission, such as the timestamp. */
  readonly further?: Readonly<Record<string, unknown>>;
}

export function formSchema(form: Form, described: Described): JsonSchema {
  const schema = inLanguage(form, described);
  const languages = form.provided.get('languages');
  const others = (languages?.offered ?? []).flatMap((tag) => languages?.localeOf(tag) ?? []);
  const texts = others
    .filter(({ language }) => language !== described.locale.language)
    .map((locale) => [locale.language, differences(schema, inLanguage(form, { ...described, locale }))]);
  return texts.length > 0 ? { ...schema, 'x-texts': Object.fromEntries(texts) } : schema;
}

export function inLanguage(form: Form, described: Described): JsonSchema {
  const { locale, base, fields = form.fields, values = new Map(), locked, further } = described;
  const { text, translate, language = 'en', direction = 'ltr', query } = locale;
  const { id, title, submitLabel, provided } = form;
  const named = fields.map((field) => [field.name, field] as const);
  const demanded = demands(form, fields);
  const captcha = provided.get('captcha');
  const accepts = [...form.bodies.values()].flatMap((one) => (one.isForServers ? [] : one.mediaType));
  const address = (route: string) => apiPath(base, route, id) + (query ? `?${query}` : '');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: title === undefined ? id : text(title),
    ...objectSchema(named, { locale, values, locked }),
    ...(form.takesUndeclared && { additionalProperties: true }),
    ...(demanded.length > 0 && { allOf: demanded }),
    'x-form': {
      ...{ id, language, direction },
      submit: address('submit'),
      accepts,
      layout: layoutOf(form, fields, locale),
      submit_label: submitLabel === undefined ? translate({ code: 'submit' }) : text(submitLabel),
      captcha: captcha && { provider: captcha.provider, site_key: captcha.siteKey, field: captcha.field },
      ...further,
    },
  };
}

/** Requirements that apply only to some submissions. */
function demands({ provided }: Form, fields: readonly Field[]): readonly JsonSchema[] {
  const single = fields.flatMap(({ name, required, visible_when, required_when, derive }) => {
    const demanding = required ? visible_when : required_when;
    if (!demanding || derive) return [];
    const parts = [...(visible_when && !required ? [visible_when] : []), demanding];
    const all = parts.map((one) => conditionSchema(one, fields));
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    return { if: all.length > 1 ? { allOf: all } : all[0], then: { required: [name] } };
  });
  const together = (provided.get('groups') ?? []).flatMap(({ from, to, required }) => {
    if (!required) return [];
    const some = fields.slice(from, to).filter(({ layout }) => layout !== 'bare');
    const filled = some.map(({ name, visible_when }) => ({
      allOf: [{ required: [name] }, visible_when ? conditionSchema(visible_when, fields) : {}],
    }));
    return { anyOf: filled };
  });
  return [...single, ...together];
}

/** Names of fields, notes, and groups and steps that contain them, in order. */
type Item = string | Readonly<Record<string, unknown>>;

function layoutOf({ notes, provided }: Form, fields: readonly Field[], { text }: Locale): readonly Item[] {
  const at = (index: number): readonly Item[] => [
    ...notes
      .filter(({ before }) => before === index)
      .map((note) => ({ note: text(note.text), visible_when: note.visible_when })),
    ...(fields[index] ? [fields[index].name] : []),
  ];
  const grouped = (from: number, to: number): readonly Item[] => {
    const items: Item[] = [];
    for (let index = from; index < to; ) {
      const group = provided.get('groups')?.find((one) => one.from === index);
      const end = group ? group.to : index + 1;
      const inside = Array.from({ length: end - index }, (_, place) => at(index + place)).flat();
      items.push(
        ...(group ? [{ group: text(group.title), required: group.required, items: inside }] : inside),
      );
      index = end;
    }
    return items;
  };
  const steps = provided.get('steps');
  if (!steps) return grouped(0, fields.length + 1);
  return steps.map(({ title, from, to }) => ({ step: text(title), items: grouped(from, to) }));
}

/** The texts that differ in another language, by JSON Pointer (RFC 6901). */
function differences(one: unknown, other: unknown, pointer = ''): Readonly<Record<string, unknown>> {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other)
    return one === other || other === undefined ? {} : { [pointer]: other };
  const members = Object.entries(other).map(([key, value]) =>
    differences(
      Reflect.get(one, key),
      value,
      `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ),
  );
  return Object.assign({}, ...members);
}

// Conditions as JSON Schema of a submission.

/**
 * The submissions for which a condition is true. Tests that JSON Schema cannot express count as passed. So
 * the schema may require too much, but never accepts a submission that the relay rejects.
 */
function conditionSchema(condition: Condition, fields: readonly Field[], isNegated = false): JsonSchema {
  if ('not' in condition) return conditionSchema(condition.not, fields, !isNegated);
  if ('field' in condition) return testSchema(condition, fields, isNegated);
  const isAll = 'all' in condition;
  const parts = (isAll ? condition.all : condition.any).map((one) => conditionSchema(one, fields, isNegated));
  return isAll === isNegated ? { anyOf: parts } : { allOf: parts };
}

function testSchema(test: Test, fields: readonly Field[], isNegated: boolean): JsonSchema {
  const decider = fields.find(({ name }) => name === test.field);
  const own = decider && !decider.derive ? passed(test, decider) : undefined;
  const schema = own && isNegated ? { not: own } : (own ?? {});
  // Tests of a hidden field are false.
  const { visible_when: shown } = decider ?? {};
  return shown ? { allOf: [conditionSchema(shown, fields), schema] } : schema;
}

/** The submissions that pass a test; `undefined`: JSON Schema cannot describe them. */
function passed({ field, test, values }: Test, decider: Field): JsonSchema | undefined {
  const { takesSeveral, comparedAs, offered } = decider;
  const isNumber = comparedAs === 'number' && !offered;
  const has = (value: JsonSchema | undefined): JsonSchema | undefined =>
    value && { required: [field], properties: { [field]: takesSeveral ? { contains: value } : value } };
  const not = (schema: JsonSchema | undefined) => schema && { not: schema };
  switch (test) {
    case 'filled':
      return { required: [field] };
    case 'empty':
      return { not: { required: [field] } };
    case 'is':
      return has(equal(values, decider));
    case 'is_not':
      return not(has(equal(values, decider)));
    case 'at_least':
      return isNumber ? has({ minimum: Number(values[0]) }) : undefined;
    case 'at_most':
      return isNumber ? has({ maximum: Number(values[0]) }) : undefined;
    case 'matches': {
      const pattern = isNumber ? undefined : wholePattern(values[0] ?? '');
      return pattern === undefined ? undefined : has({ pattern });
    }
    default:
      return undefined;
  }
}

function equal(wanted: readonly string[], { offered, canonical, comparedAs }: Field): JsonSchema | undefined {
  if (offered) return { enum: offered.filter((value) => wanted.includes(canonical(value))) };
  if (comparedAs === 'number') return { enum: wanted.map(Number) };
  if (comparedAs === 'email' || comparedAs === 'relay') return undefined;
  const words = wanted.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return { pattern: `^\\s*(?:${words.join('|')})\\s*$` };
}
