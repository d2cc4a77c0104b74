/** A field that the relay computes from others, such as a total. Visitors see it and cannot change it. */
import type { Diagnostics, Field, MakePlugin, Option, Path, Schema } from 'form-relay/plugin';
import script from './built/computed.ts';
import messages from './computed_words.json' with { type: 'json' };
import {
  aggregates,
  type Case,
  type Expression,
  inWords,
  type Read,
  repeatsIn,
  resultOf,
  type Source,
} from './formula.ts';
import { mostDigits, parseFormula } from './formula_parser.ts';

/** A field as formulas read it: with the fields in a repeated field, and the numbers that options stand for. */
type Readable = Omit<Field, 'options'> & {
  readonly fields?: readonly Readable[];
  readonly worth?: number;
  readonly checked_value?: string;
  readonly options?: readonly (Option & { readonly worth?: number })[];
};

/** A case with its location in the field. */
interface WrittenCase extends Case {
  readonly path: Path;
}

const isNumeric = (field: Field): boolean => typeof field.json(['1']) === 'number';
const numberPattern = /^-?\d+(\.\d+)?$/;

/** The numbers that the values of a field stand for; `undefined` if the values are numbers. */
function worthsOf({ options, json, checked_value: ticked = 'on', worth = 1 }: Readable): Source['worths'] {
  if (options) return Object.fromEntries(options.map(({ value, worth }) => [value, String(worth ?? value)]));
  // In an entry, a ticked box is `true`.
  return json([ticked]) === true ? { [ticked]: String(worth), true: String(worth) } : undefined;
}

/** Collects the fields that a formula reads, and reports those that it cannot read. */
function sourcesIn(
  expression: Expression,
  fields: readonly Readable[],
  at: Diagnostics,
  sources: Record<string, Source> = {},
  isInList = false,
): Record<string, Source> {
  if (typeof expression === 'string') return sources;
  const { does, with: operands } = expression;
  const name = String(operands[0]);
  if (does === 'count') {
    if (!fields.some((field) => field.name === name && field.fields))
      at.error(`"${name}" has no entries to count; expected the name of a field of type repeat`);
    sources[name] = { of: name };
  } else if (does === 'field') {
    const source = sourceOf(name, fields, isInList);
    if (typeof source === 'string') at.error(source);
    else sources[name] = source;
  } else
    for (const operand of operands) {
      const isList = aggregates.includes(does);
      sourcesIn(operand, fields, at, sources, isList || isInList);
      const repeats = new Set(isList ? repeatsIn(operand, sources) : []);
      if (repeats.size > 1)
        at.error(`the formula mixes entries of ${[...repeats].join(' and ')}, which do not belong together`);
    }
  return sources;
}

/** How a formula reads a field, or why it cannot. */
function sourceOf(name: string, fields: readonly Readable[], isInList: boolean): Source | string {
  const owner = fields.find((one) => one.fields && name.startsWith(`${one.name}.`));
  const part = owner && name.slice(owner.name.length + 1);
  const field = (owner?.fields ?? fields).find((one) => one.name === (part ?? name));
  if (!field) return `"${name}" is not a declared field; expected ${namesOf(fields).join(', ')}`;
  if (field.fields) return `"${name}" is a list; write count(${name}), or sum(${namesOf([field])[0]})`;
  if (owner && !isInList) return `"${name}" is in each entry; write sum(${name}), min or max around it`;
  const worths = worthsOf(field);
  const odd = field.options?.find(({ value }) => !numberPattern.test(worths?.[value] ?? ''));
  if (odd) return `"${name}": a formula needs the number of each option: {value: ${odd.value}, worth: 10}`;
  if (!worths && !isNumeric(field)) return `"${name}" has the type ${field.type}, which is not a number`;
  return {
    ...(worths && { worths }),
    ...(owner && { of: owner.name, part: field.name }),
    ...(field.derive && { isResult: true }),
  };
}

/** The initial values of the fields in an entry. An entry without other values counts as empty. */
const initialOf = ({ fields = [] }: Readable) =>
  Object.fromEntries(fields.map(({ name, value = [] }) => [name, value]));

/** Keys for fields that visitors fill in. */
const unfilled = ['value', 'placeholder', 'autocomplete'] as const;

const currencies = Intl.supportedValuesOf('currency');

/** For example 0 for JPY and 3 for KWD. */
const digitsOf = (currency: string | undefined): number | undefined =>
  currency === undefined
    ? undefined
    : new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

const namesOf = (fields: readonly Readable[]): readonly string[] =>
  fields.flatMap(({ name, fields }) => fields?.map((one) => `${name}.${one.name}`) ?? name);

/** For editors. */
const formulaJson = {
  anyOf: [
    { title: 'formula', type: ['string', 'number', 'boolean'] },
    { type: 'array', items: { type: 'object' } },
  ],
};

/** A key with one text or a list of texts. */
const textsOf =
  (text: Schema<string>, list: Schema<readonly string[]>): Schema<readonly string[]> =>
  (written, at) => {
    const read = (Array.isArray(written) ? list : text)(written, at);
    return typeof read === 'string' ? [read] : read;
  };

const expression: Schema<Expression> = (written, at) => {
  try {
    return typeof written === 'string'
      ? parseFormula(written)
      : at.error('expected a formula such as nights * rate');
  } catch (error) {
    return at.error((error as Error).message);
  }
};

/** The entries of a repeated field, whose value is JSON. A ticked box is `true` there. */
const entriesIn = (json: string): readonly Read[] =>
  JSON.parse(json).map(
    (entry: Record<string, unknown>) => (part: string) =>
      [entry[part] ?? []]
        .flat()
        .filter((one) => one !== false)
        .map(String),
  );

const make: MakePlugin = ({ key, html, field, extension }) => {
  const texts = textsOf(key.text(), key.list(key.text()));
  const condition = key.block({
    field: key.required('The field to test.', key.text()),
    is: key.optional('The required value, or a list of allowed values.', texts),
    is_not: key.optional('A value that the field must not have, or a list of these.', texts),
    filled: key.optional(
      '`true`: the field must be filled in; `false`: the field must be empty.',
      key.boolean(),
    ),
  });
  const when: Schema<Case['when']> = (written, at) => {
    const { field = '', is, is_not, filled } = condition(written, at) ?? {};
    const test = is ? 'is' : is_not ? 'is_not' : filled ? 'filled' : 'empty';
    return { field, test, values: is ?? is_not ?? [] };
  };
  const cases = key.list(
    key.block({
      when: key.optional('The condition of this case. The last case may have none.', when),
      value: key.required('The formula of this case.', expression),
    }),
  );
  const formula: Schema<readonly WrittenCase[]> = (written, at) => {
    if (Array.isArray(written))
      return cases(written, at)?.map((one, index) => ({ ...one, path: ['formula', index] }));
    const value = expression(written, at);
    return value === undefined ? undefined : [{ value, path: ['formula'] }];
  };
  const worth = key.optional('Value of the ticked box or chosen option in formulas.', key.number());
  /** The data that pages need to compute a field's formula, by its cases. */
  const compiled = new WeakMap<readonly WrittenCase[], object>();

  return {
    name: 'computed',
    summary: 'Totals and other numbers calculated from fields.',
    messages,
    scripts: { computed: () => script },
    fieldExtensions: [
      extension.field({ name: 'worth', types: ['checkbox'], keys: { worth }, configure: () => undefined }),
      extension.field({
        name: 'worth_of_options',
        types: ['select', 'radios', 'checkboxes'],
        keys: {},
        optionKeys: { worth },
        configure: () => undefined,
      }),
    ],
    fields: [
      field({
        type: 'computed',
        aliases: ['calculation', 'calculated', 'formula', 'total', 'sum'],
        summary: 'A number calculated from other fields, such as a total.',
        card: {
          title: 'Total',
          purpose: 'Date and number',
          words: 'computed formula calculation sum price points score',
          sample: { name: 'total', label: 'Total', formula: '0' },
          idleKeys: unfilled,
        },
        missing: 'missing_result',
        comparedAs: 'number',
        samples: () => [['12.5']],
        part: 'computed',
        keys: {
          formula: key.required(
            'Calculation: `guests * 80 + if(lunch, 12, 0)`. Or a list of cases with `value` and `when`; the first case that applies is used.',
            Object.assign(formula, { json: formulaJson }),
          ),
          currency: key.optional('Currency of the result, such as `EUR` (ISO 4217).', key.text()),
          digits: key.optional(
            'Decimal places of the result. Default: those of the currency, or as many as needed, at most 6.',
            key.whole({ least: 0, most: mostDigits }),
          ),
        },
        problems: (read, at) => {
          if (read.currency !== undefined && !currencies.includes(read.currency))
            at.in('currency').error('expected a currency code of ISO 4217, such as EUR');
          for (const name of unfilled)
            if (read[name] !== undefined)
              at.in(name).error(`visitors cannot fill in a computed field; remove ${name}`, {
                aboutKey: true,
              });
        },
        derive: ({ formula, currency, digits }, fields: readonly Readable[], at) => {
          const sources: Record<string, Source> = {};
          for (const { value, when, path } of formula) {
            sourcesIn(value, fields, at.in(...path), sources);
            if (when && !fields.some(({ name }) => name === when.field))
              at.in(...path, 'when', 'field').error(`"${when.field}" is not a declared field`);
          }
          const facts = { cases: formula, sources, currency, digits: digits ?? digitsOf(currency) };
          const reads = [
            ...Object.entries(sources).map(([name, { of = name }]) => of),
            ...formula.flatMap(({ when }) => when?.field ?? []),
          ];
          const repeated = fields.filter(({ name }) => Object.values(sources).some(({ of }) => of === name));
          compiled.set(formula, {
            ...facts,
            needs: fields
              .filter(({ name, required, derive }) => required && !derive && reads.includes(name))
              .map(({ name }) => name),
            entries: Object.fromEntries(repeated.map((one) => [one.name, initialOf(one)])),
          });
          return {
            key: 'formula',
            reads,
            values: (read) => [resultOf(facts, read, (name) => (read(name) ?? []).flatMap(entriesIn))],
          };
        },
        json: (_, [result]) => (result === undefined ? undefined : Number(result)),
        words: ({ currency }, results, { language, translate }) =>
          results.map((one) =>
            one === '' ? translate({ code: 'result_left_out' }) : inWords(one, currency, language),
          ),
        control: ({ name, formula, currency }, { id, values, describedBy, invalid, autofocus, locale }) => {
          const facts = { ...compiled.get(formula), language: locale.language };
          const [result = ''] = values;
          const words =
            result === ''
              ? locale.translate({ code: 'result_later' })
              : inWords(result, currency, locale.language);
          const error =
            invalid && html.tag` aria-invalid="true" tabindex="-1"${autofocus && html.tag` autofocus`}`;
          const about = describedBy !== undefined && html.tag` aria-describedby="${describedBy}"`;
          return html.tag`<output id="${id}" data-name="${name}" data-formula="${JSON.stringify(facts)}" aria-live="polite"${about}${error}>${words}</output><input type="hidden" name="${name}" value="${result}">`;
        },
      }),
    ],
  };
};

export default make;
