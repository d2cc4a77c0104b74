import type {
  Condition,
  Diagnostics,
  Field,
  FormHooks,
  Option,
  Plugin,
  Values,
} from '@form-relay/core/index';
import {
  attributes,
  feature,
  fieldType,
  guard,
  html,
  normalized,
  number,
  numbers,
  optional,
  required,
} from '@form-relay/core/kit';
import { computedInFormCode } from '@form-relay/element/built/computed_in_form';
import {
  type Computation,
  type Formula,
  type Input,
  inWords,
  type Test,
  workOut,
} from '@form-relay/element/formula/work_out';
import { type Case, chosen, problemsInForm, repeatOf } from './checks.ts';
import { mostDigits } from './formula.ts';
import { currency, formulaOrCases } from './keys.ts';

/** Such as 0 for JPY and 3 for KWD. */
const digitsOf = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

const ignored = ['value', 'placeholder', 'autocomplete'];
/** Keys that are `true` where the config says nothing. */
const ignoredFlags = ['from_query', 'remember'];

const computed = fieldType({
  type: 'computed',
  summary:
    'A number that the relay works out from other fields, such as a total. Visitors see it and cannot change it.',
  card: {
    title: 'Calculated number',
    purpose: 'Date and number',
    words: 'computed formula total sum price amount cost score quiz order',
    sample: { label: 'Total', formula: '2 * 80', currency: 'EUR' },
    idleKeys: ['value', 'placeholder', 'autocomplete', 'from_query', 'remember'],
  },
  missing: 'missing_result',
  isReadOnly: true,
  script: computedInFormCode,
  keys: {
    formula: required(
      'What is worked out: `guests * 80 + sum(extras)`. It may have numbers, names of fields, `+ - * /`, parentheses, ' +
        '`sum(…)`, `min(…)`, `max(…)` and `round(value, digits)`; and over the entries of a field that repeats, ' +
        '`count(guests)` and `sum(lines.price * lines.amount)`. Or a list of cases, each with a formula (`value`) and a ' +
        'condition (`when`): the first case whose condition holds counts.',
      formulaOrCases,
    ),
    currency: optional('The currency of the result, such as `EUR`.', currency),
    digits: optional(
      'The places behind the point, to which the result is rounded; half a unit is rounded up. Default: those of the ' +
        'currency; without one, as many as the result has, but at most 6.',
      number({ least: 0, most: mostDigits, whole: true }),
    ),
  },
  problems: (field, at) => {
    const isGiven = (key: string) => Reflect.get(field, key) !== undefined;
    const isOff = (key: string) => Reflect.get(field, key) === false;
    for (const key of [...ignored.filter(isGiven), ...ignoredFlags.filter(isOff)])
      at.in(key).error(`a computed field has no \`${key}\`: nobody fills it in; leave it out`, {
        aboutKey: true,
      });
  },
  checkValue: () => undefined,
  json: (_, stored) => numbers(stored),
  control: () => html``,
});

/** The formulas of a form, and the fields that they read. */
interface Computing {
  readonly formulas: ReadonlyMap<string, Computation>;
  readonly fields: readonly Field[];
}

/** What visitors read in the place of a result, as attributes of an `<output>` that a script fills. */
function extended(field: Field, computing: Computing): ReturnType<NonNullable<FormHooks['extendField']>> {
  const own = computing.formulas.get(field.name);
  if (!own) return undefined;
  return {
    // Whatever is sent is forged.
    normalize: (sent) => {
      const result = resultsOf(sent, computing).get(field.name);
      return result === undefined ? undefined : [result];
    },
    words: (stored, { language = 'en', translate }) =>
      stored.map((result) =>
        result === '' ? translate({ code: 'result_left_out' }) : inWords({ ...own, language }, result),
      ),
    control: (state) => {
      const [result] = state.values;
      const { language = 'en', translate } = state.locale;
      const formula: Formula = { language, ...own };
      const about = {
        id: state.id,
        name: field.name,
        // The script lets screen readers hear of results from the first change on.
        'aria-live': 'off',
        'aria-invalid': state.invalid && 'true',
        'aria-describedby': state.describedBy,
        tabindex: state.invalid && -1,
        autofocus: state.autofocus,
        'data-formula': JSON.stringify(formula),
      };
      const words = result === undefined ? translate({ code: 'result_later' }) : inWords(formula, result);
      return html`<output${attributes(about)}>${words}</output>`;
    },
  };
}

/** The results for what was sent, worked out once. */
const known = new WeakMap<Values, ReturnType<typeof workOut>>();

function resultsOf(sent: Values, { formulas, fields }: Computing): ReturnType<typeof workOut> {
  const before = known.get(sent);
  if (before) return before;
  const meant = normalized(sent, fields);
  const results = workOut(formulas, (name) => meant.get(name) ?? []);
  known.set(sent, results);
  return results;
}

const testOf = ({ field, test, values }: Condition): Test => [field, test, ...values];

function inputsOf(cases: readonly Case[], fields: readonly Field[]): readonly Input[] {
  const names = cases.flatMap(({ when, value }) => [
    ...value.reads.map(({ name }) => name),
    ...(when ? [when.field] : []),
  ]);
  return [...new Set(names)].flatMap((name) => {
    const field = fields.find((one) => one.name === name || name.startsWith(`${one.name}.`));
    if (!field) return [];
    const repeat = repeatOf(field);
    const inside = repeat?.fields.find((one) => `${field.name}.${one.name}` === name);
    const { required } = inside ?? field;
    const entries = repeat && {
      of: field.name,
      most: repeat.most,
      fields: repeat.fields.map((one) => [one.name, ...(one.value ?? [])] as const),
      field: inside?.name,
    };
    return [{ name, required, tests: testsOf(field, fields), worths: worthsOf(inside ?? field), entries }];
  });
}

/** The conditions of a field, and of those that decide it. The config has no cycles. */
function testsOf({ visible_when: when }: Field, fields: readonly Field[]): readonly Test[] {
  const decider = when && fields.find(({ name }) => name === when.field);
  return decider ? [...testsOf(decider, fields), testOf(when)] : [];
}

const worthOf = ({ value, worth }: Option) => [value, worth === undefined ? value : String(worth)] as const;

function worthsOf(field: Field) {
  const { type, options = [], offered = [] } = field;
  if (type === 'checkbox')
    return offered.map((value) => [value, String(Reflect.get(field, 'worth'))] as const);
  return chosen.includes(type) ? options.map(worthOf) : undefined;
}

const leftOut = 'left out, since it divides by zero or is too large';

type Computed = Field & { readonly formula: readonly Partial<Case>[]; currency?: string; digits?: number };

const isComputed = (field: Field): field is Computed =>
  field.type === 'computed' && Reflect.get(field, 'formula') !== undefined;

const results = feature({
  name: 'computed',
  configure: ({ fields, pathOf }, at: Diagnostics) => {
    const all = fields.filter(isComputed);
    if (all.length === 0) return undefined;
    const cases = new Map(all.map(({ name, formula }) => [name, formula.filter(hasValue)]));
    problemsInForm(cases, fields, (field) => at.in(...pathOf(field)));
    const formulas = new Map<string, Computation>(
      all.map(({ name, currency, digits = currency ? digitsOf(currency) : undefined }) => {
        const own = cases.get(name) ?? [];
        const counted = own.map(({ when, value }) => ({ when: when && testOf(when), steps: value.steps }));
        return [name, { currency, digits, cases: counted, inputs: inputsOf(own, fields) }];
      }),
    );
    const others = fields
      .filter(({ name }) => !formulas.has(name))
      .flatMap((field) => field.inputs?.all ?? field);
    const read = new Set([...formulas.values()].flatMap(({ inputs }) => inputs.map(({ name }) => name)));
    return {
      afterValidation: guard((submission) => {
        const { values, trace } = submission;
        const names = [...formulas.keys()].filter((name) => values.get(name)?.[0] === '');
        if (names.length === 0) return undefined;
        trace?.note(`${leftOut}: ${names.join(', ')}`);
        submission.log('warn', 'result_left_out', { fields: names });
        return undefined;
      }),
      extendField: (field) =>
        extended(field, { formulas, fields: others }) ??
        // Several values would be added up.
        (read.has(field.name) && !field.offered ? { takesOne: true } : undefined),
    };
  },
});

const hasValue = (one: Partial<Case>): one is Case => one.value !== undefined;

export const plugin: Plugin = {
  name: 'computed',
  fields: [computed],
  features: [results],
  messages: {
    en: {
      missing_result: 'This could not be worked out. Check the numbers that you entered.',
      result_left_out: 'could not be worked out',
      result_later: 'Worked out after you send the form.',
    },
  },
};
