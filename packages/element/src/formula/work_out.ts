/** Arithmetic in exact fractions, which the relay and pages share. Nothing recurses, and each number is bounded. */

/**
 * A number such as `12.50`, a field by its name, an operator (`+ - * /`, or `neg` for a sign), a function with the
 * count of its values, or `round` with its digits. `guests.price` is a field of each entry, and `guests` a 1 for each.
 */
export type Step =
  | string
  | readonly [field: string]
  | readonly [name: 'sum' | 'min' | 'max' | 'round', count: number];

/** A condition: the field that decides, `is`, `is_not`, `filled` or `empty`, and values (base/condition.ts). */
export type Test = readonly [field: string, test: string, ...values: string[]];

/** A field that a formula reads. */
export interface Input {
  readonly name: string;
  readonly required: boolean;
  /** It counts only while all of these hold. */
  readonly tests: readonly Test[];
  /** The numbers that its options stand for. */
  readonly worths?: readonly (readonly [value: string, worth: string])[] | undefined;
  readonly entries?: Entries | undefined;
}

/** The entries that an input is read from, which are sent as `guests.1.price`. */
export interface Entries {
  readonly of: string;
  readonly most: number;
  /** The name and the initial values of each field; an entry that holds nothing else is empty. */
  readonly fields: readonly (readonly [name: string, ...initial: string[]])[];
  /** The one that is read. Absent: each entry counts as 1. */
  readonly field?: string | undefined;
}

export interface Formula extends Computation {
  readonly language: string;
}

export interface Computation {
  readonly currency?: string | undefined;
  /** Places behind the point. Default: those that the result has, at most 6. */
  readonly digits?: number | undefined;
  /** The first whose test holds counts. If there is none, the result is 0. */
  readonly cases: readonly { readonly when?: Test | undefined; readonly steps: readonly Step[] }[];
  readonly inputs: readonly Input[];
}

/** `unknown`: something is missing or wrong. `none`: division by zero, or a number that is too large. */
type Without = 'unknown' | 'none';

interface Fraction {
  readonly n: bigint;
  /** Above 0. */
  readonly d: bigint;
}

type Result = Fraction | Without;

/** Beyond this, numerators and denominators are too large. */
const most = 10n ** 40n;
/** The digits of a result before its point: JSON and spreadsheets hold as many. */
const mostDigits = 15;
const mostPlaces = 6;
/** How many values all formulas of a form read, so that nobody can keep the relay busy. */
const mostValues = 5_000;

const zero: Fraction = { n: 0n, d: 1n };
const unit: Fraction = { n: 1n, d: 1n };
const magnitude = (n: bigint) => (n < 0n ? -n : n);

function fraction(n: bigint, d: bigint): Result {
  if (magnitude(n) < most && d < most) return { n, d };
  let [a, b] = [magnitude(n), d];
  while (b) [a, b] = [b, a % b];
  return magnitude(n) / a < most && d / a < most ? { n: n / a, d: d / a } : 'none';
}

/** The number in a text as HTML writes it; `unknown` for any other. */
export function decimal(text: string): Result {
  const [, sign, whole = '', places = '', power = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = whole + places;
  if (!digits) return 'unknown';
  const exponent = +power - places.length;
  if (digits.length > 60 || Math.abs(exponent) > 60) return 'none';
  const shift = 10n ** BigInt(Math.abs(exponent));
  const n = BigInt(sign === '-' ? `-${digits}` : digits);
  return exponent < 0 ? fraction(n, shift) : fraction(n * shift, 1n);
}

/** Half a unit is rounded away from zero. */
function rounded({ n, d }: Fraction, digits: number): Fraction {
  const scale = 10n ** BigInt(digits);
  const up = (2n * magnitude(n) * scale + d) / (2n * d);
  return { n: n < 0n ? -up : up, d: scale };
}

function add(a: Fraction, b: Fraction): Result {
  const [fine, coarse] = a.d < b.d ? [b, a] : [a, b];
  // Decimals stay decimals.
  if (fine.d % coarse.d === 0n) return fraction(fine.n + coarse.n * (fine.d / coarse.d), fine.d);
  return fraction(a.n * b.d + b.n * a.d, a.d * b.d);
}
const subtract = (a: Fraction, b: Fraction): Result => add(a, { n: -b.n, d: b.d });

const operators: Readonly<Record<string, (a: Fraction, b: Fraction) => Result>> = {
  '+': add,
  '-': subtract,
  '*': (a, b) => fraction(a.n * b.n, a.d * b.d),
  '/': (a, b) => (b.n === 0n ? 'none' : fraction(a.n * (b.n < 0n ? -b.d : b.d), a.d * magnitude(b.n))),
  min: (a, b) => (a.n * b.d <= b.n * a.d ? a : b),
  max: (a, b) => (a.n * b.d >= b.n * a.d ? a : b),
};

/** Joins values from left to right; 0 if there are none. */
function join(values: readonly Fraction[], operator = add): Result {
  let [joined = zero, ...rest]: readonly Result[] = values;
  for (const one of rest as readonly Fraction[]) {
    if (typeof joined === 'string') break;
    joined = operator(joined, one);
  }
  return joined;
}

/** Lists of values, each of which counts together unless a function takes its values one by one. */
interface Operand {
  /** Whether there is a list for each entry; otherwise, there is one. */
  readonly isEach: boolean;
  readonly lists: readonly (readonly Fraction[])[];
}

const single = (list: readonly Fraction[]): Operand => ({ isEach: false, lists: [list] });

/** Entry by entry, if an operand is of entries. */
function forEach(
  operands: readonly Operand[],
  result: (a: Fraction, b: Fraction) => Result,
): Operand | Without {
  const { isEach, lists } = operands.find((one) => one.isEach) ?? single([]);
  const results: Fraction[][] = [];
  for (const index of lists.keys()) {
    const [a = zero, b = zero] = operands.map((one) => join(one.lists[one.isEach ? index : 0] ?? []));
    const joined = typeof a === 'string' ? a : typeof b === 'string' ? b : result(a, b);
    if (typeof joined === 'string') return joined;
    results.push([joined]);
  }
  return { isEach, lists: results };
}

function evaluate(steps: readonly Step[], operandOf: (field: string) => Operand | Without): Result {
  const stack: Operand[] = [];
  const allOf = (count: number) => stack.splice(-count).flatMap(({ lists }) => lists.flat());
  const listed = (result: Result) => (typeof result === 'string' ? result : single([result]));
  const done = (step: Step): Operand | Without => {
    if (typeof step === 'string') {
      const operator = operators[step];
      if (operator) return forEach(stack.splice(-2), operator);
      return step === 'neg' ? forEach(stack.splice(-1), (a) => subtract(zero, a)) : listed(decimal(step));
    }
    const [name, count] = step;
    if (count === undefined) return operandOf(name);
    if (name === 'round') return forEach(stack.splice(-1), (a) => rounded(a, count));
    return listed(join(allOf(count), name === 'sum' ? add : operators[name]));
  };
  for (const step of steps) {
    const operand = done(step);
    if (typeof operand === 'string') return operand;
    stack.push(operand);
  }
  return join(allOf(1));
}

/** As plain decimal text, such as `360.00`; empty if it is too large. */
function textOf(value: Fraction, digits: number | undefined): string {
  const { n } = rounded(value, digits ?? mostPlaces);
  const all = String(magnitude(n)).padStart((digits ?? mostPlaces) + 1, '0');
  const point = all.length - (digits ?? mostPlaces);
  if (point > mostDigits) return '';
  const places = digits === undefined ? all.slice(point).replace(/0+$/, '') : all.slice(point);
  return `${n < 0n ? '-' : ''}${all.slice(0, point)}${places && '.'}${places}`;
}

/**
 * The result of each formula: its text, empty where there is none, and `undefined` as long as something that it needs is
 * missing or wrong.
 *
 * @param sent The values of a field, however they came, as the relay understands them.
 */
export function workOut(
  formulas: ReadonlyMap<string, Computation>,
  sent: (field: string) => readonly string[],
): ReadonlyMap<string, string | undefined> {
  const results = new Map<string, string | undefined>();
  const known = new Map<string, readonly string[]>();
  const entriesOf = (entries: Entries) => {
    const filled = known.get(entries.of) ?? filledEntries(entries, sent);
    known.set(entries.of, filled);
    return filled;
  };
  let left = mostValues;
  const resultOf = (name: string, formula: Computation): string | undefined => {
    if (results.has(name)) return results.get(name);
    const { cases, digits, inputs } = formula;
    const inputOf = new Map(inputs.map((input) => [input.name, input]));
    const isThere = (field: string) =>
      inputOf.get(field)?.tests.every((test) => holds(test, sent(test[0]))) ?? false;
    const valuesOf = (field: string, input?: Input): readonly Fraction[] | Without => {
      const filled = sent(field).filter(Boolean);
      if (filled.length === 0) return input?.required ? 'unknown' : [];
      left -= filled.length;
      if (left < 0) return 'none';
      const worths = input?.worths && new Map(input.worths);
      return numbers(worths ? [...new Set(filled)].map((one) => worths.get(one) ?? '') : filled);
    };
    const ofEntries = (input: Input, entries: Entries): Operand | Without => {
      const lists: (readonly Fraction[])[] = [];
      for (const entry of isThere(input.name) ? entriesOf(entries) : []) {
        const values = entries.field === undefined ? [unit] : valuesOf(`${entry}.${entries.field}`, input);
        if (typeof values === 'string') return values;
        lists.push(values);
      }
      return { isEach: true, lists };
    };
    const operandOf = (field: string): Operand | Without => {
      const input = inputOf.get(field);
      if (input?.entries) return ofEntries(input, input.entries);
      if (!isThere(field)) return single([]);
      const other = formulas.get(field);
      const result = other && resultOf(field, other);
      if (other && !result) return result === '' ? 'none' : 'unknown';
      const values = result ? numbers([result]) : valuesOf(field, input);
      return typeof values === 'string' ? values : single(values);
    };
    const chosen = cases.find(({ when }) => !when || holds(when, isThere(when[0]) ? sent(when[0]) : []));
    const value = chosen ? evaluate(chosen.steps, operandOf) : zero;
    const result = typeof value === 'string' ? (value === 'none' ? '' : undefined) : textOf(value, digits);
    results.set(name, result);
    return result;
  };
  for (const [name, formula] of formulas) resultOf(name, formula);
  return results;
}

/** The entries in which something is filled in, such as `guests.2`. */
const filledEntries = ({ of, most, fields }: Entries, sent: (field: string) => readonly string[]) =>
  Array.from({ length: most }, (_, index) => `${of}.${index + 1}`).filter((entry) =>
    fields.some(([name, ...initial]) =>
      sent(`${entry}.${name}`).some((value) => value && !initial.includes(value)),
    ),
  );

function numbers(texts: readonly string[]): readonly Fraction[] | Without {
  const all = texts.map(decimal);
  return all.find((one) => typeof one === 'string') ?? (all as readonly Fraction[]);
}

function holds([, test, ...wanted]: Test, values: readonly string[]): boolean {
  const isAny = test.startsWith('is') ? values.some((one) => wanted.includes(one)) : values.some(Boolean);
  return isAny === (test === 'is' || test === 'filled');
}

/** A result as people of the form's language write it, with its currency. */
export function inWords(
  { language, currency }: Pick<Formula, 'language' | 'currency'>,
  result: string,
): string {
  const places = result.split('.')[1]?.length ?? 0;
  const { format } = new Intl.NumberFormat([language, 'en'], {
    ...(currency && { style: 'currency', currency }),
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
  // Older browsers read it as a number, which holds 15 digits.
  return format(result as `${number}`);
}
