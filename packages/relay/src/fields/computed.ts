import { type Formula, inWords, type Test, workOut } from '@form-relay/element/formula/work_out';
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
import { controlClass } from './classes.ts';
import { type Field, fieldType, type Written } from './field.ts';
import { inFormula, mostDigits, type ParsedFormula, parseFormula } from './formula.ts';

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
        '`sum(…)`, `min(…)`, `max(…)` and `round(value, digits)`. Or a list of cases, of which the first that holds ' +
        'counts: `{when: {field: kind, is: student}, value: guests * 40}`.',
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
      inputs: namesIn(cases)
        .flatMap((name) => fields.find((one) => one.name === name) ?? [])
        .map((field) => ({
          name: field.name,
          required: field.required,
          tests: testsOf(field, fields),
          worths: worthsOf(field),
        })),
    },
  }),
  withResults,
  inWords: (result, { computes }) => (computes ? inWords(computes, result) : result),
  control: ({ name, computes }, state) => {
    const [result] = state.values;
    const own = {
      id: state.id,
      class: controlClass(state, 'output'),
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
  ...new Set(cases.flatMap(({ when, value }) => [...value.fields.keys(), ...(when ? [when.field] : [])])),
];

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
    return parsed.ok ? [...parsed.value.fields.keys()] : [];
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
    return [...parsed.value.fields].flatMap(([name, place]) =>
      problemsOf(name, index, fields, source).map((found) =>
        found.path.length > 0 ? found : at(path, inFormula(source, place, found)),
      ),
    );
  });
  return [...ignored, ...unreached, ...inFormulas];
}

/** What keeps a formula from reading a field. Those about the field itself have a path. */
function problemsOf(
  name: string,
  from: number,
  fields: readonly Written[],
  source: string,
): readonly Finding[] {
  const index = fields.findIndex((field) => field.name === name);
  const field = fields[index];
  if (!field) {
    const names = fields.map(({ name }) => name).filter((one) => typeof one === 'string');
    // `guest-count` without quotes is a difference.
    const inQuotes = names.find((one) => /\W/.test(one) && one.includes(name) && source.includes(one));
    return [
      finding('field_undeclared', [], { name, near: inQuotes ? `"${inQuotes}"` : nearest(name, names) }),
    ];
  }
  const type = String(field.type ?? 'text');
  if (type === 'computed') return circles(index, from, fields);
  if (numeric.includes(type)) return [];
  if (type === 'checkbox')
    return field.worth === undefined ? [finding('worth_missing_of_box', [], { name })] : [];
  if (!chosen.includes(type)) return [finding('field_of_no_number', [], { name, type })];
  const options: readonly unknown[] = Array.isArray(field.options) ? field.options : [];
  return options.flatMap((option, nth) => {
    const { value, worth } = isMap(option) ? option : { value: option, worth: undefined };
    return worth === undefined && !/^-?\d+(\.\d+)?$/.test(String(value))
      ? [finding('worth_missing', ['fields', index, 'options', nth], { value: String(value) })]
      : [];
  });
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
