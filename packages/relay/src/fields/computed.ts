import {
  type Entries,
  type Formula,
  type Input,
  inWords,
  type Test,
  workOut,
} from '@form-relay/element/formula/work_out';
import * as v from 'valibot';
import { computedInFormCode } from '../../built/computed_in_form.ts';
import type { Condition } from '../base/condition.ts';
import { attributes, html } from '../base/html.ts';
import type { Values } from '../base/values.ts';
import { condition } from '../schema/condition.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { read, wrong } from '../schema/issue.ts';
import { optional, optionalBlock, required, section } from '../schema/keys.ts';
import { isMap, list, number, oneOf, text } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';
import type { Field } from './field.ts';
import { fieldType, type Written } from './field_type.ts';
import { inFormula, mostDigits, type ParsedFormula, parseFormula, type Read } from './formula.ts';

interface Case {
  readonly when?: Condition | undefined;
  readonly value: ParsedFormula;
}

const formula = v.pipe(
  text(),
  read(parseFormula),
  v.metadata({ jsonSchema: { title: 'formula', type: ['string', 'number'] } }),
);
const always = v.pipe(
  formula,
  v.transform((value): readonly Case[] => [{ value }]),
);
const cases = list(
  section(
    {
      when: optionalBlock(
        'The condition under which this value counts, as in `visible_when`. The last case may have none.',
        condition(),
      ),
      value: required('The formula that counts then.', formula),
    },
    '{when: {field: kind, is: student}, value: guests * 40}',
  ),
  { least: 1 },
) as never as typeof always;

const currency = v.pipe(
  text(),
  v.check(
    (code) => isCurrency(code),
    (issue) => wrong('not_a_currency', { near: currencyMeantBy(String(issue.input)) })(issue),
  ),
  v.metadata({
    jsonSchema: {
      title: 'currency',
      type: 'string',
      pattern: '^[A-Z]{3}$',
      errorMessage: 'Expected a currency code of ISO 4217, such as EUR.',
    },
  }),
);

const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code);

const signs: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY', euro: 'EUR' };

function currencyMeantBy(word: string): string | undefined {
  const near = signs[word.toLowerCase()] ?? word.toUpperCase();
  return isCurrency(near) ? near : undefined;
}

/** Such as 0 for JPY and 3 for KWD. */
const digitsOf = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

/** Types whose values are numbers, and those whose options stand for numbers. */
const numeric = ['number', 'range', 'rating', 'scale', 'computed'];
const chosen = ['select', 'radios', 'checkboxes'];

export const computed = fieldType({
  type: 'computed',
  summary:
    'A number that the relay works out from other fields, such as a total. Visitors see it and cannot change it.',
  missing: { code: 'missing_result' },
  inJson: 'number',
  script: computedInFormCode,
  keys: {
    formula: required(
      'What is worked out: `guests * 80 + sum(extras)`. It may have numbers, names of fields, `+ - * /`, parentheses, ' +
        '`sum(…)`, `min(…)`, `max(…)` and `round(value, digits)`; and over the entries of a field that repeats, ' +
        '`count(guests)` and `sum(lines.price * lines.amount)`. Or a list of cases, each with a formula (`value`) and a ' +
        'condition (`when`): the first case whose condition holds counts.',
      oneOf([always, cases], (input) => (Array.isArray(input) ? cases : always)),
    ),
    currency: optional('The currency of the result, such as `EUR`.', currency),
    digits: optional(
      'The places behind the point, to which the result is rounded; half a unit is rounded up. Default: those of the ' +
        'currency; without one, as many as the result has, but at most 6.',
      number({ least: 0, most: mostDigits, whole: true }),
    ),
  },
  inForm: problemsInForm,
  // Whatever is sent is forged.
  meant: () => '',
  checkValue: () => undefined,
  among: ({ formula: cases, currency, digits }, fields, language) => ({
    computes: {
      language,
      currency,
      digits: digits ?? (currency === undefined ? undefined : digitsOf(currency)),
      cases: cases.map(({ when, value }) => ({ when: when && testOf(when), steps: value.steps })),
      inputs: namesIn(cases).flatMap((name) => inputsNamed(name, fields)),
    },
  }),
  withResults,
  inWords: (result, { computes }, { say }) => {
    if (result === '') return say({ code: 'result_left_out' });
    return computes ? inWords(computes, result) : result;
  },
  control: ({ name, computes }, state) => {
    const [result] = state.values;
    const own = {
      id: state.id,
      name,
      // The script lets screen readers hear of results from the first change on.
      'aria-live': 'off',
      'aria-invalid': state.invalid && 'true',
      'aria-describedby': state.describedBy,
      tabindex: state.invalid && -1,
      autofocus: state.autofocus,
      'data-formula': JSON.stringify(computes),
    };
    const words =
      result === undefined || !computes ? state.say({ code: 'result_later' }) : inWords(computes, result);
    return html`<output${attributes(own)}>${words}</output>`;
  },
});

const testOf = ({ field, test, values }: Condition): Test => [field, test, ...values];

const namesIn = (cases: readonly Case[]): readonly string[] => [
  ...new Set(
    cases.flatMap(({ when, value }) => [
      ...value.reads.map(({ name }) => name),
      ...(when ? [when.field] : []),
    ]),
  ),
];

function inputsNamed(name: string, fields: readonly Field[]): readonly Input[] {
  const field: Repeat | undefined = fields.find((one) => one.name === name || isEntryOf(one, name));
  if (!field) return [];
  const inside = field.fields?.find((one) => `${field.name}.${one.name}` === name);
  const { required } = inside ?? field;
  const entries = field.fields && entriesOf(field, field.fields, inside);
  return [{ name, required, tests: testsOf(field, fields), worths: worthsOf(inside ?? field), entries }];
}

type Repeat = Field & { readonly fields?: readonly Field[]; readonly most?: number };

const entriesOf = ({ name, most = 0 }: Repeat, inside: readonly Field[], read?: Field): Entries => ({
  of: name,
  most,
  fields: inside.map((one) => [one.name, ...(one.value ?? [])] as const),
  field: read?.name,
});

const isEntryOf = ({ type, name }: Partial<Record<'type' | 'name', unknown>>, path: string): boolean =>
  type === 'repeat' && path.startsWith(`${name}.`);

/** The conditions of a field, and of those that decide it. The config has no cycles. */
function testsOf({ visible_when: when }: Field, fields: readonly Field[]): readonly Test[] {
  const decider = when && fields.find(({ name }) => name === when.field);
  return decider ? [...testsOf(decider, fields), testOf(when)] : [];
}

function worthsOf({ type, options = [], possibleValues = [], worth }: Field & { worth?: number }) {
  if (type === 'checkbox') return possibleValues.map((value) => [value, String(worth)] as const);
  return chosen.includes(type)
    ? options.map(({ value, worth }) => [value, worth === undefined ? value : String(worth)] as const)
    : undefined;
}

/** All results of the form, in place of what was sent. There is none as long as something is missing or wrong. */
function withResults(sent: Values, fields: readonly Field[]): Values {
  const formulas = new Map(
    fields.flatMap(({ name, computes }): [string, Formula][] => (computes ? [[name, computes]] : [])),
  );
  const values = new Map(sent);
  for (const [name, result] of workOut(formulas, (field) => sent.get(field) ?? [])) {
    if (result === undefined) values.delete(name);
    else values.set(name, [result]);
  }
  return values;
}

interface WrittenFormula {
  readonly source: string;
  /** From the field. */
  readonly path: Path;
}

function formulasOf({ formula }: Written): readonly WrittenFormula[] {
  const written: readonly { readonly source: unknown; readonly path: Path }[] = Array.isArray(formula)
    ? formula.map((one, nth) => ({ source: isMap(one) ? one.value : one, path: ['formula', nth, 'value'] }))
    : [{ source: formula, path: ['formula'] }];
  return written.flatMap(({ source, path }) => (typeof source === 'string' ? [{ source, path }] : []));
}

const fieldsRead = (field: Written): readonly string[] =>
  formulasOf(field).flatMap(({ source }) => {
    const parsed = parseFormula(source);
    return parsed.ok ? parsed.value.reads.map(({ name }) => name) : [];
  });

/** A longer chain is a mistake. */
const longestChain = 100;

function problemsInForm(_: Written, index: number, fields: readonly Written[]): readonly Finding[] {
  const own = fields[index] ?? {};
  const at = (path: Path, found: Finding): Finding => ({ ...found, path: ['fields', index, ...path] });
  const ignored = ['value', 'placeholder', 'autocomplete', 'from_query', 'remember']
    .filter((key) => key in own)
    .map((key) => ({ ...at([key], finding('key_of_no_computed', [], { key })), aboutKey: true }));
  const { formula } = own;
  const unreached = (Array.isArray(formula) ? formula : []).flatMap((one, nth, all) =>
    isMap(one) && !one.when && nth < all.length - 1
      ? [at(['formula', nth], finding('formula_case_always', []))]
      : [],
  );
  const inFormulas = formulasOf(own).flatMap(({ source, path }) => {
    const parsed = parseFormula(source);
    if (!parsed.ok) return [];
    const { reads } = parsed.value;
    // Each mistake once, at its first place.
    const told = new Set<string>();
    return reads.flatMap((read) =>
      [...problemsOf(read, index, fields, source), ...mixed(read, reads, fields)]
        .filter((found) => {
          const mistake = JSON.stringify([read.name, found.code, found.path]);
          return !told.has(mistake) && told.add(mistake);
        })
        .map((found) => (found.path.length > 0 ? found : at(path, inFormula(source, read, found)))),
    );
  });
  return [...ignored, ...unreached, ...inFormulas];
}

/** What keeps a formula from reading a field. Those about the field itself have a path. */
function problemsOf(
  { name, within }: Read,
  from: number,
  fields: readonly Written[],
  source: string,
): readonly Finding[] {
  const index = fields.findIndex((field) => field.name === name || isEntryOf(field, name));
  const field = fields[index];
  const inside = field && insideOf(field);
  if (inside && name !== field.name) {
    const at = inside.findIndex((one) => name === `${field.name}.${one.name}`);
    const one = inside[at];
    if (!one) return [undeclared(name, fields, source)];
    if (within === 'count') return [finding('count_of_no_entries', [], { name })];
    if (within === 0) return [finding('entries_outside_sum', [], { name })];
    return problemsOfNumber(name, one, ['fields', index, 'fields', at]);
  }
  if (!field) return [undeclared(name, fields, source)];
  if (inside) {
    const number = inside.find(({ type }) => numeric.includes(String(type)));
    return within === 'count'
      ? []
      : [finding('entries_uncounted', [], { name, number: String(number?.name ?? 'price') })];
  }
  if (within === 'count') return [finding('count_of_no_entries', [], { name })];
  return field.type === 'computed'
    ? circles(index, from, fields)
    : problemsOfNumber(name, field, ['fields', index]);
}

/** The fields of each entry, as written; `undefined` for fields that do not repeat. */
const insideOf = ({ type, fields }: Written): readonly Written[] | undefined =>
  type === 'repeat' ? (Array.isArray(fields) ? fields.filter(isMap) : []) : undefined;

function undeclared(name: string, fields: readonly Written[], source: string): Finding {
  const names = fields
    .flatMap((field) => [field.name, ...(insideOf(field) ?? []).map((one) => `${field.name}.${one.name}`)])
    .filter((one) => typeof one === 'string');
  // `guest-count` without quotes is a difference.
  const inQuotes = names.find((one) => /[^\w.]/.test(one) && one.includes(name) && source.includes(one));
  return finding('field_undeclared', [], { name, near: inQuotes ? `"${inQuotes}"` : nearest(name, names) });
}

function problemsOfNumber(name: string, field: Written, path: Path): readonly Finding[] {
  const type = String(field.type ?? 'text');
  if (numeric.includes(type)) return [];
  if (type === 'checkbox')
    return field.worth === undefined ? [finding('worth_missing_of_box', [], { name })] : [];
  if (!chosen.includes(type)) return [finding('field_of_no_number', [], { name, type })];
  const options: readonly unknown[] = Array.isArray(field.options) ? field.options : [];
  return options.flatMap((option, nth) => {
    const { value, worth } = isMap(option) ? option : { value: option, worth: undefined };
    return worth === undefined && !/^-?\d+(\.\d+)?$/.test(String(value))
      ? [finding('worth_missing', [...path, 'options', nth], { value: String(value) })]
      : [];
  });
}

/** Entries of two fields have nothing to do with each other. */
function mixed(
  { name, within }: Read,
  reads: readonly Read[],
  fields: readonly Written[],
): readonly Finding[] {
  const repeated = (path: string) => fields.find((field) => isEntryOf(field, path));
  const first = within && reads.find((one) => one.within === within && repeated(one.name));
  return first && repeated(name) && repeated(name) !== repeated(first.name)
    ? [finding('entries_mixed', [], { name, other: first.name })]
    : [];
}

/** Whether a computed field leads back to the one that reads it, or too far. */
function circles(index: number, from: number, fields: readonly Written[]): readonly Finding[] {
  const seen = new Set<number>();
  let open = [index];
  for (let length = 1; open.length > 0; length += 1) {
    if (open.includes(from)) return [finding('formula_circular', [])];
    if (length > longestChain) return [finding('formula_chain_too_long', [], { most: longestChain })];
    for (const one of open) seen.add(one);
    const names = open.flatMap((one) => fieldsRead(fields[one] ?? {}));
    open = fields.flatMap(({ type, name }, at) =>
      type === 'computed' && typeof name === 'string' && names.includes(name) && !seen.has(at) ? [at] : [],
    );
  }
  return [];
}
