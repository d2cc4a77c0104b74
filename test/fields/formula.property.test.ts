/** Formulas, against a second opinion that shares no code with them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Step, workOut } from '../../packages/element/src/formula/work_out.ts';
import { parseFormula } from '../../packages/more-fields/src/computed/formula.ts';
import { runs } from '../support/fuzz.ts';

interface Sum {
  /** With every part in parentheses, so that precedence is the writer's. */
  readonly text: string;
  readonly value: number;
}

/** Numbers whose results a double holds exactly: whole ones, and halves of them. */
const leaf = fc.integer({ min: -40, max: 40 }).map((n): Sum => ({ text: `(${n / 2})`, value: n / 2 }));
const sums = fc.letrec<{ sum: Sum }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.tuple(fc.constantFrom('+', '-', '*'), tie('sum'), tie('sum')).map(([sign, a, b]) => ({
      text: `(${a.text} ${sign} ${b.text})`,
      value: sign === '+' ? a.value + b.value : sign === '-' ? a.value - b.value : a.value * b.value,
    })),
    fc.array(tie('sum'), { minLength: 1, maxLength: 4 }).map((all) => ({
      text: `sum(${all.map(({ text }) => text).join(', ')})`,
      value: all.reduce((sum, { value }) => sum + value, 0),
    })),
    fc.array(tie('sum'), { minLength: 1, maxLength: 4 }).map((all) => ({
      text: `max(${all.map(({ text }) => text).join(',')})`,
      value: Math.max(...all.map(({ value }) => value)),
    })),
    tie('sum').map(({ text, value }) => ({ text: `-${text}`, value: -value })),
  ),
})).sum;

const resultOf = (steps: readonly Step[], digits?: number) =>
  workOut(new Map([['f', { language: 'en', digits, cases: [{ steps }], inputs: [] }]]), () => []).get('f');

test('a formula counts as arithmetic does', () => {
  fc.assert(
    fc.property(sums, ({ text, value }) => {
      fc.pre(Math.abs(value) < 1e12 && text.length < 1000);
      const parsed = parseFormula(text);
      fc.pre(parsed.ok || parsed.error.code !== 'formula_too_deep');
      if (!parsed.ok) throw new Error(`${text}: ${parsed.error.code}`);
      expect(Number(resultOf(parsed.value.steps, 10))).toBeCloseTo(value, 9);
    }),
    runs(200),
  );
});

test('without parentheses, * and / come before + and -, each from left to right', () => {
  const parts = fc.array(fc.tuple(fc.constantFrom('+', '-', '*'), fc.nat({ max: 99 })), { maxLength: 12 });
  fc.assert(
    fc.property(fc.nat({ max: 99 }), parts, (first, rest) => {
      const text = `${first}${rest.map(([sign, n]) => ` ${sign} ${n}`).join('')}`;
      const parsed = parseFormula(text);
      if (!parsed.ok) throw new Error(text);
      // biome-ignore lint/security/noGlobalEval: JavaScript's own arithmetic is the second opinion.
      const value = eval(text) as number;
      fc.pre(Number.isSafeInteger(value));
      const isTooLong = Math.abs(value) >= 1e15;
      expect(resultOf(parsed.value.steps)).toBe(isTooLong ? '' : value === 0 ? '0' : String(value));
    }),
    runs(100),
  );
});

test('half a unit is rounded away from zero, whatever the digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat({ max: 9 }), (units, digits) => {
      // `units` are tenths of the last place.
      const sign = units < 0n ? '-' : '';
      const all = String(units < 0n ? -units : units).padStart(digits + 2, '0');
      const text = `${sign}${all.slice(0, -digits - 1)}.${all.slice(-digits - 1)}`;
      const rounded = (units < 0n ? -1n : 1n) * (((units < 0n ? -units : units) + 5n) / 10n);
      const result = resultOf([text], digits);
      fc.pre(result !== '');
      expect(BigInt((result ?? '').replace('.', ''))).toBe(rounded);
    }),
    runs(200),
  );
});

test('any text is a formula or a mistake', () => {
  const any = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc
      .array(fc.constantFrom(...'ab019.+-*/()",\' ', 'sum(', 'round('), { maxLength: 300 })
      .map((all) => all.join('')),
    fc.constantFrom(
      '('.repeat(1000),
      '-'.repeat(1000),
      'sum('.repeat(250),
      '"'.repeat(999),
      `${'9'.repeat(999)}`,
    ),
  );
  fc.assert(
    fc.property(any, (text) => {
      const parsed = parseFormula(text);
      if (parsed.ok) resultOf(parsed.value.steps);
      else expect(parsed.error.code).toMatch(/^formula_/);
    }),
    runs(200),
  );
});

test('the longest formulas, with thousands of values, hold nothing up', () => {
  const product = parseFormula(Array(80).fill('a').join(' * 3 / 7 + '));
  const many = parseFormula(`sum(${Array(490).fill('a').join()})`);
  for (const parsed of [product, many]) {
    if (!parsed.ok) throw new Error(parsed.error.code);
    const formulas = new Map([
      [
        'f',
        {
          language: 'en',
          cases: [{ steps: parsed.value.steps }],
          inputs: [{ name: 'a', required: false, tests: [] }],
        },
      ],
    ]);
    for (const count of [10, 5_000, 5_001, 100_000]) {
      const values = Array.from({ length: count }, (_, nth) => `${nth}.${'7'.repeat(nth % 30)}`);
      const before = performance.now();
      const result = workOut(formulas, () => values).get('f');
      expect(performance.now() - before).toBeLessThan(2_000);
      if (count > 5_000) expect(result).toBe('');
      else if (count === 10) expect(result).toMatch(/^\d+\.\d+$/);
    }
  }
});

test('the longest formulas over the most entries hold nothing up', () => {
  const parsed = parseFormula(`sum(${Array(60).fill('a.b * 3 / 7').join(' + ')})`);
  if (!parsed.ok) throw new Error(parsed.error.code);
  const fields = [['b'], ...Array.from({ length: 9 }, (_, nth) => [`c${nth}`])] as [string][];
  const input = {
    name: 'a.b',
    required: false,
    tests: [],
    entries: { of: 'a', most: 50, fields, field: 'b' },
  };
  const cases = [{ steps: parsed.value.steps }];
  const formulas = new Map(
    Array.from({ length: 20 }, (_, nth) => [`f${nth}`, { language: 'en', cases, inputs: [input] }] as const),
  );
  const before = performance.now();
  const results = workOut(formulas, (name) => (name.endsWith('.b') ? [`${name.length}.7777777`] : []));
  expect(performance.now() - before).toBeLessThan(2_000);
  expect(results.get('f0')).toMatch(/^\d+\.\d+$/);
  // All formulas of a form together read no more than 5,000 values.
  expect(results.get('f19')).toBe('');
});
