/** `same_as`, `differs_from`, `one_of`, and `min` and `max` that name another field. */

import { canonicalText } from '@form-relay/base/canonical';
import { withoutEmpty } from '@form-relay/base/values';
import { fieldExtension } from '@form-relay/core/extensions';
import { labelParam } from '@form-relay/core/fields/label';
import type {
  Diagnostics,
  Field,
  Message,
  Plugin,
  Property,
  Submission,
  Values,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { array } from '@form-relay/schema/collections';
import { name } from '@form-relay/schema/scalars';
import { isMap, jsonSchemaOf, optional, schema } from '@form-relay/schema/schema';
import { nearest } from '@form-relay/schema/suggestion';

const equal = fieldExtension({
  name: 'equal',
  keys: {
    same_as: optional(
      'Field whose value must be repeated here, such as `email`. Format, outer spaces and the case of e-mail addresses are ignored.',
      name(),
    ),
    differs_from: optional('Field that must not have the same value (`first_choice`).', name()),
  },
  configure: () => undefined,
});

const keyOf = (text: string) => canonicalText(text).toLowerCase();

const listed = fieldExtension({
  name: 'listed',
  types: ['text'],
  keys: {
    one_of: optional(
      'Accepted values, such as `[SPRING, SUMMER]`; no page shows them. Case and outer spaces are ignored; outputs get the value as written here.',
      array(name(), { least: 1 }),
    ),
  },
  configure: ({ name, one_of: accepted }) => {
    if (!accepted) return undefined;
    const meant = (value: string) => {
      const key = keyOf(value);
      return accepted.find((one) => one === value) ?? accepted.find((one) => keyOf(one) === key) ?? value;
    };
    return {
      members: { accepted },
      // The relay compares, because pages must not contain the accepted values.
      comparedAs: 'relay',
      canonical: (value) => canonicalText(meant(value)),
      normalize: (sent) => sent.get(name)?.map(meant),
      check: (values) => {
        const at = values.findIndex((value) => !accepted.includes(value));
        return at < 0 ? undefined : { code: 'not_accepted', at };
      },
      samples: () => accepted.map((one) => [one]),
    };
  },
});

const ordered = ['number', 'date', 'time', 'datetime'];
const isLimit = (key: string) => key === 'min' || key === 'max';

/** Numbers and times never start with a letter. */
const isName = (written: unknown) => typeof written === 'string' && /^[\p{L}_]/u.test(written);

const orName = ({ doc, schema: kind, ...more }: Property<unknown>): Property<unknown> => {
  const { pattern, ...json } = jsonSchemaOf(kind);
  const either = pattern && { pattern: `^[A-Z_a-z]|^[^ -~]|${pattern}` };
  const read: typeof kind = (value, at) => (isName(value) ? undefined : kind(value, at));
  const schemaOfBoth = schema({ ...json, ...either, title: `${json.title} or field` }, read);
  return {
    ...more,
    doc: `${doc.replace(/\.$/, '')}, or a field of this type that holds it.`,
    schema: schemaOfBoth,
  };
};

const limits = fieldExtension({
  name: 'limits',
  types: ordered,
  keys: {},
  changeKeys: ({ min, max }) => Object.assign({}, min && { min: orName(min) }, max && { max: orName(max) }),
  configure: () => undefined,
});

/** The keys of a field that name another field, with its name. */
function namedIn(written: unknown): readonly (readonly [key: string, to: string])[] {
  if (!isMap(written)) return [];
  const hasLimits = ordered.some((type) => type === written.type);
  return Object.entries(written).flatMap(([key, to]) => {
    const isNaming = isLimit(key) ? hasLimits && isName(to) : Object.hasOwn(equal.keys, key);
    return isNaming && typeof to === 'string' ? [[key, to]] : [];
  });
}

const references = feature({
  name: 'references',
  configure: ({ fields, pathOf }, at) => {
    const named = new Map<Field, (readonly [key: string, other: Field])[]>();
    for (const field of fields) {
      const place = at.in(...pathOf(field));
      const { written: rows } = place.in('fields');
      for (const [index, one] of Array.isArray(rows) ? rows.entries() : [])
        for (const [key] of namedIn(one))
          place
            .in('fields', index, key)
            .error('repeated fields cannot refer to other fields', { aboutKey: true });
      for (const [key, to] of namedIn(place.written)) {
        const other = otherField(field, key, to, fields, place.in(key));
        if (!other) continue;
        const [own, its] = [field.visible_when, other.visible_when];
        const isAlways =
          !its || JSON.stringify(own) === JSON.stringify(its) || (own && 'field' in own && own.field === to);
        if (key === 'same_as' && !isAlways)
          place
            .in(key)
            .error(`"${to}" may be hidden while this field is shown; give both the same visible_when`);
        named.set(field, [...(named.get(field) ?? []), [key, other]]);
      }
    }
    return {
      check: (field, sent, shown, submission) => {
        for (const [key, other] of named.get(field) ?? []) {
          const check = isLimit(key) ? checkLimit : checkEqual;
          const problem = shown.includes(other) ? check(field, key, other, sent, submission) : undefined;
          if (problem) return problem;
        }
        return undefined;
      },
    };
  },
});

function otherField(field: Field, key: string, to: string, fields: readonly Field[], at: Diagnostics) {
  const other = fields.find((one) => one.name === to);
  if (!other) {
    const names = fields.filter((one) => one !== field).map((one) => one.name);
    const about = { code: 'field_undeclared', suggestion: nearest(to, names), word: to };
    const not = isLimit(key) ? `neither a ${field.type} nor` : 'not';
    return at.error(`"${to}" is ${not} a declared field`, about);
  }
  if (other === field) return at.error('this is the field itself; choose another one');
  const [kind, its] = [field, other].map(kindOf);
  if (kind && its && (kind === its || (!isLimit(key) && [kind, its].includes('text')))) return other;
  return at.error(`a ${field.type} cannot be compared with "${to}", which is a ${other.type}`);
}

/** Only fields of the same kind can have equal values. */
function kindOf({ type, offered, takeFiles, inputs }: Field): string {
  if (takeFiles || inputs) return '';
  return offered ? 'choice' : /^(textarea|hidden)$/.test(type) ? 'text' : type;
}

type Check = (field: Field, key: string, other: Field, sent: Values, by: Submission) => Message | undefined;

const filledIn = (sent: Values, { name }: Field) => withoutEmpty(sent.get(name) ?? []);

const checkEqual: Check = (field, key, other, sent) => {
  const { canonical } = kindOf(field) === 'text' ? other : field;
  const [own, its] = [field, other].map((one) => JSON.stringify(filledIn(sent, one).map(canonical)));
  const params = { field: labelParam(other) };
  if (key === 'same_as') return own === its ? undefined : { code: 'not_same', params };
  return own === its && own !== '[]' ? { code: 'not_different', params } : undefined;
};

/** Ignores steps, which the field's own check covers. */
const checkLimit: Check = (field, key, other, sent, submission) => {
  const own = filledIn(sent, field);
  const entered = filledIn(sent, other);
  if (own.length === 0 || other.check(entered, submission)) return undefined;
  const limited = (value: string) =>
    field.type === 'number' ? { [key]: Number(value), step: 'any' } : { [key]: value, step: 1 };
  return entered.map((value) => field.withKeys(limited(value)).check(own, submission)).find(Boolean);
};

/** Keys that also load this plug-in. */
export const uses = ['field limit'];

export const plugin: Plugin = {
  name: 'values',
  fieldExtensions: [equal, listed, limits],
  features: [references],
  messages: {
    en: {
      not_same: 'Enter the same value as in “{field}”.',
      not_different: 'Enter a different value than in “{field}”.',
      not_accepted: 'This is not accepted. Check it for typos.',
    },
  },
};
