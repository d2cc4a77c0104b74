/** Formulas of computed fields. The relay and pages share this file, so that their results are the same. */

/** A number, or an operation: an operator such as `+`, a function such as `if`, or `field` and `count` with a field's name. */
export type Expression = string | { readonly does: string; readonly with: readonly Expression[] };

/** A field that a formula reads. */
export interface Source {
  /** The numbers that its values stand for. */
  readonly worths?: Readonly<Record<string, string>>;
  /** The repeated field that contains it, and its name in the entries. */
  readonly of?: string;
  readonly part?: string;
  /** The result of another formula. If that has none, neither does this one. */
  readonly isResult?: true;
}

export interface Case {
  readonly when?: { readonly field: string; readonly test: string; readonly values: readonly string[] };
  readonly value: Expression;
}

export interface Formula {
  /** The first case that applies counts. */
  readonly cases: readonly Case[];
  readonly sources: Readonly<Record<string, Source>>;
  readonly digits?: number | undefined;
}

/** The values of a field; `undefined` while it is hidden. */
export type Read = (field: string) => readonly string[] | undefined;
/** The values in each entry of a repeated field. */
export type ReadEntries = (repeated: string) => readonly Read[];

/** In units of 10^-20: sums are exact, products and quotients are rounded to 20 places. `undefined`: no result. */
type Amount = bigint | undefined;

const places = 20;
const one = 10n ** BigInt(places);
/** Larger numbers give no result. */
const most = one * 10n ** 40n;
/** JSON and spreadsheets support this many digits. */
const mostWhole = 15;
const mostPlaces = 6;
/** The limit for one field, so that a submission cannot overload the relay. */
const mostValues = 1_000;

/** Functions with any number of values. */
export const aggregates: readonly string[] = ['sum', 'min', 'max'];

const bounded = (amount: bigint): Amount => (amount < most && amount > -most ? amount : undefined);

/** Rounds halves away from zero. */
const divided = (n: bigint, d: bigint): bigint =>
  d < 0n ? divided(-n, -d) : (2n * n + (n < 0n ? -d : d)) / (2n * d);

const toPlaces = (amount: bigint, digits: number) => divided(amount, 10n ** BigInt(places - digits));

/** The number in a text in HTML's format. */
export function decimal(text: string): Amount {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d{1,2}))?$/i.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === '' || digits.length > 60) return undefined;
  const shift = places + Number(power) - fraction.length;
  const scale = 10n ** BigInt(Math.abs(shift));
  const amount = shift < 0 ? divided(BigInt(digits), scale) : BigInt(digits) * scale;
  return bounded(sign === '-' ? -amount : amount);
}

const truth = (is: boolean) => (is ? one : 0n);

const operators: Readonly<Record<string, (a: bigint, b: bigint) => Amount>> = {
  '+': (a, b) => bounded(a + b),
  '-': (a, b) => bounded(a - b),
  '*': (a, b) => bounded(divided(a * b, one)),
  '/': (a, b) => (b === 0n ? undefined : bounded(divided(a * one, b))),
  '=': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  sum: (a, b) => bounded(a + b),
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
  round: (a, b) => toPlaces(a, Number(b / one)) * 10n ** BigInt(places - Number(b / one)),
};

/** Combines values from left to right; 0 if there are none. */
function join(values: readonly Amount[], does: string): Amount {
  if (values.length === 0) return 0n;
  return values.reduce((all, next) =>
    all === undefined || next === undefined ? undefined : operators[does]?.(all, next),
  );
}

/** The repeated fields that an expression reads per entry, outside of functions over all entries. */
export function repeatsIn(expression: Expression, sources: Formula['sources']): readonly string[] {
  if (typeof expression === 'string') return [];
  const { does, with: operands } = expression;
  if (does === 'field') return [sources[String(operands[0])]?.of ?? []].flat();
  if (does === 'count' || aggregates.includes(does)) return [];
  return operands.flatMap((operand) => repeatsIn(operand, sources));
}

function evaluate({ sources }: Formula, whole: Expression, read: Read, entriesOf: ReadEntries): Amount {
  const amountsOf = (name: string, within: Read): readonly Amount[] => {
    const { part = name, worths, isResult } = sources[name] ?? {};
    const given = within(part);
    const values = given?.filter(Boolean) ?? [];
    const isLacking = isResult && given && values.length === 0;
    if (isLacking || values.length > mostValues) return [undefined];
    return worths ? [...new Set(values)].map((value) => decimal(worths[value] ?? '')) : values.map(decimal);
  };
  /** The operands of a function with any number of values: each value of a field, and each entry, is one. */
  const listOf = (operand: Expression, within: Read): readonly Amount[] => {
    const [repeat] = repeatsIn(operand, sources);
    const each = repeat === undefined ? [within] : entriesOf(repeat);
    return typeof operand !== 'string' && operand.does === 'field'
      ? each.flatMap((entry) => amountsOf(String(operand.with[0]), entry))
      : each.map((entry) => amountOf(operand, entry));
  };
  const amountOf = (expression: Expression, within: Read): Amount => {
    if (typeof expression === 'string') return decimal(expression);
    const { does, with: operands } = expression;
    const [first = '0', second = '0', third = '0'] = operands;
    if (does === 'field') return join(amountsOf(String(first), within), 'sum');
    if (does === 'count') return BigInt(entriesOf(String(first)).length) * one;
    if (aggregates.includes(does))
      return join(
        operands.flatMap((operand) => listOf(operand, within)),
        does,
      );
    if (does !== 'if') return join([amountOf(first, within), amountOf(second, within)], does);
    const test = amountOf(first, within);
    return test === undefined ? undefined : amountOf(test === 0n ? third : second, within);
  };
  return amountOf(whole, read);
}

function holds({ when }: Case, read: Read): boolean {
  if (!when) return true;
  const values = read(when.field);
  const isAny = values?.some((one) => (when.test.startsWith('is') ? when.values.includes(one) : one !== ''));
  return values !== undefined && Boolean(isAny) === ['is', 'filled'].includes(when.test);
}

/** The result as plain decimal text, such as `360.00`; empty if there is none. If no case applies, the result is 0. */
export function resultOf(formula: Formula, read: Read, entriesOf: ReadEntries): string {
  const { cases, digits = mostPlaces } = formula;
  const { value = '0' } = cases.find((one) => holds(one, read)) ?? {};
  const amount = evaluate(formula, value, read, entriesOf);
  if (amount === undefined) return '';
  const rounded = toPlaces(amount, digits);
  const all = String(rounded < 0n ? -rounded : rounded).padStart(digits + 1, '0');
  const whole = all.slice(0, all.length - digits);
  const fraction = all.slice(whole.length).replace(formula.digits === undefined ? /0+$/ : /$/, '');
  return whole.length > mostWhole ? '' : `${rounded < 0n ? '-' : ''}${whole}${fraction && '.'}${fraction}`;
}

/** A result formatted for people, with its currency. */
export function inWords(result: string, currency: string | undefined, language = 'en'): string {
  const digits = result.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat([language, 'en'], {
    ...(currency && { style: 'currency', currency }),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(result as `${number}`);
}
