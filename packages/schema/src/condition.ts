import { plainText } from '@form-relay/base/canonical';
import { type Condition, holds, opposites, type Test } from '@form-relay/base/condition';
import { type Values, withoutEmpty } from '@form-relay/base/values';
import type { Diagnostics } from './diagnostics.ts';
import {
  array,
  boolean,
  isMap,
  jsonSchemaOf,
  name,
  number,
  object,
  optional,
  required,
  type Schema,
  schema,
  textSchema,
  texts,
} from './kinds.ts';

const moment = textSchema(
  (value, at) =>
    /^(\d{4}-\d\d-\d\d(T\d\d:\d\d)?|\d\d:\d\d)$/.test(value)
      ? value
      : at.error('expected a day, a time or both, such as 2027-03-31, 18:00 or 2027-03-31T18:00'),
  { title: 'day or time', type: 'string' },
);

/** The value of `matches`, read like the `pattern` of a text field. */
interface Pattern {
  readonly source: string;
  test(value: string): boolean;
}
const pattern = schema<Pattern>(
  { title: 'regular expression', type: ['string', 'number', 'boolean'] },
  (value, at) => {
    const ofText = at.report.readField?.kinds?.get('text')?.pattern;
    const composed = typeof value === 'string' ? plainText(value) : value;
    return ofText
      ? (ofText.schema(composed, at) as Pattern | undefined)
      : at.error('no plug-in for patterns is loaded');
  },
);

const keys = {
  field: required('The field to test.', name()),
  is: optional('The required value, or a list of allowed values.', texts()),
  is_not: optional('A value that the field must not have, or a list of these.', texts()),
  filled: optional('`true`: the field must be filled in; `false`: empty.', boolean()),
  contains: optional(
    'The text, or one of the texts, that the value must contain, in any letter case.',
    texts(),
  ),
  at_least: optional('The smallest number that matches.', number()),
  at_most: optional('The largest number that matches.', number()),
  before: optional(
    'The value must be earlier than this day or time: `2027-03-31`, `18:00`, `2027-03-31T18:00`.',
    moment,
  ),
  after: optional('The value must be later than this day or time.', moment),
  matches: optional('A regular expression that the whole value must match, as in `pattern`.', pattern),
};
const tests = Object.keys(keys).filter((key) => key !== 'field');

const single = object(keys, '{field: topic, is: Other}', (_, at) => {
  const { written } = at;
  if (isMap(written) && tests.filter((test) => Object.hasOwn(written, test)).length !== 1)
    at.error(`expected exactly one of ${tests.slice(0, -1).join(', ')} and ${tests.at(-1)} beside field`);
});

function readTest(value: unknown, at: Diagnostics): Test | undefined {
  const written = single(value, at);
  if (written?.field === undefined) return undefined;
  const { field, filled, matches, ...others } = written;
  if (filled !== undefined) return { field, test: filled ? 'filled' : 'empty', values: [] };
  if (matches)
    return { field, test: 'matches', values: [matches.source], matches: (one) => matches.test(one) };
  for (const test of Object.keys(others) as (keyof typeof others)[]) {
    const wanted = others[test];
    if (wanted !== undefined) return { field, test, values: [wanted].flat().map(String) };
  }
  return undefined;
}

const mostNested = 4;

const combined = (depth: number) => {
  const inner = schema<Condition>({ $ref: '#/definitions/condition' }, (value, at) =>
    read(value, at, depth + 1),
  );
  const list = array(inner, { least: 1 });
  return {
    all: optional('All of these must be true.', list),
    any: optional('At least one of these must be true.', list),
    not: optional('This must not be true.', inner),
  };
};
const combining = Array.from({ length: mostNested }, (_, depth) => object(combined(depth), '{all: […]}'));

function read(value: unknown, at: Diagnostics, depth = 0): Condition | undefined {
  const written = isMap(value) ? Object.keys(value) : [];
  const combines = written.some((key) => ['all', 'any', 'not'].includes(key));
  // A single unknown key was probably meant as `all`, `any` or `not`.
  if (!combines && (written.length !== 1 || written.some((key) => key in keys))) return readTest(value, at);
  if (written.length > 1) return at.error('expected only one of all, any and not');
  const reader = combining[depth];
  if (!reader) return at.error(`conditions can be nested at most ${mostNested} deep`);
  const { all, any, not } = reader(value, at) ?? {};
  if (all) return { all };
  if (any) return { any };
  return not && { not };
}

/** `visible_when` and `required_when` of fields, `when` of outputs. */
export const condition: Schema<Condition> = schema(
  { anyOf: [{ $ref: '#/definitions/condition' }] },
  (value, at) => read(value, at),
);

export const conditionJson = () => ({
  title: 'condition',
  oneOf: [jsonSchemaOf(single), jsonSchemaOf(object(combined(0), ''))],
});

/** The condition in words for the owner, such as `kind is sales or support`. */
export function inWords(condition: Condition, isNegated = false, isInner = false): string {
  if ('not' in condition) return inWords(condition.not, !isNegated, isInner);
  if ('field' in condition) return testInWords(condition, isNegated);
  const isAll = 'all' in condition;
  const parts = (isAll ? condition.all : condition.any).map((one) => inWords(one, isNegated, true));
  const joined = parts.join(isAll === isNegated ? ' or ' : ' and ');
  return isInner && parts.length > 1 ? `(${joined})` : joined;
}

function testInWords({ field, test, values }: Test, isNegated: boolean): string {
  const any = values.map((value) => (value === '' ? 'empty' : value)).join(' or ');
  const said = {
    is: 'is',
    is_not: 'is not',
    filled: 'is filled in',
    empty: 'is empty',
    contains: 'contains',
    contains_not: 'does not contain',
    at_least: 'is at least',
    below: 'is below',
    at_most: 'is at most',
    above: 'is above',
    before: 'is before',
    not_before: 'is not before',
    after: 'is after',
    not_after: 'is not after',
    matches: 'matches',
    matches_not: 'does not match',
  };
  return `${field} ${said[isNegated ? opposites[test] : test]} ${any}`.trimEnd();
}

/** A field or a note, both of which may have conditions. */
export interface Conditional {
  readonly name: string;
  readonly visible_when?: Condition | undefined;
  readonly required_when?: Condition | undefined;
  readonly required?: boolean;
  canonical?(value: string): string;
}

/** The canonical values of visible fields. A condition on a hidden field does not hold, so conditions chain. */
function valuesInView<F extends Conditional>(fields: readonly F[], values: Values) {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const known = new Map<string, boolean>();
  const isVisible = (name: string): boolean => {
    const field = byName.get(name);
    const when = field?.visible_when;
    if (!when) return field !== undefined;
    const is = known.get(name) ?? holds(when, valuesOf);
    known.set(name, is);
    return is;
  };
  const canonical = new Map<string, readonly string[]>();
  const valuesOf = (name: string) => {
    if (!isVisible(name)) return undefined;
    const found = canonical.get(name) ?? canonicalValues(byName.get(name), values);
    canonical.set(name, found);
    return found;
  };
  return { isVisible, valuesOf };
}

function canonicalValues(field: Conditional | undefined, values: Values): readonly string[] {
  const sent = values.get(field?.name ?? '') ?? [];
  return sent.map((value) => (value && field?.canonical?.(value)) ?? value);
}

/** The fields that are visible, given the submitted values. */
export function visibleFields<F extends Conditional>(fields: readonly F[], values: Values): readonly F[] {
  if (fields.every((field) => !field.visible_when)) return fields;
  const { isVisible } = valuesInView(fields, values);
  return fields.filter(({ name }) => isVisible(name));
}

/**
 * Whether a condition holds for accepted values. A missing field counts as empty, whatever the reason, so
 * `is_not` and `filled: false` hold for it.
 */
export const holdsFor = (condition: Condition, values: Values, fields: readonly Conditional[]): boolean =>
  holds(condition, (name) => {
    const decider = fields.find((field) => field.name === name);
    const filled = withoutEmpty(canonicalValues(decider, values));
    return filled.length > 0 ? filled : [''];
  });

/** The names of fields that are required because of the submitted values, although they are not always `required`. */
export function demandedFields(fields: readonly Conditional[], values: Values): ReadonlySet<string> {
  if (fields.every((field) => !field.required_when)) return nothing;
  const { valuesOf } = valuesInView(fields, values);
  return new Set(
    fields.flatMap(({ name, required_when: when }) => (when && holds(when, valuesOf) ? name : [])),
  );
}
const nothing: ReadonlySet<string> = new Set();
