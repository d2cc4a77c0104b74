/** A pattern decides as JavaScript's own engine does, and in bounded time (D43). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pattern, patternBudget } from '../../src/fields/pattern.ts';
import { runs } from '../support/fuzz.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '[ab]',
  '[^a]',
  '\\w',
  '\\(',
  '[\\)\\]]',
  '\\p{L}',
  '\\u{61}',
  '\\b',
  '^',
  '$',
  '',
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,3}', '{1,}', '+?');
const { expression } = fc.letrec<Record<'expression' | 'term', string>>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('expression'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  expression: fc
    .array(fc.array(fc.tuple(tie('term'), quantifier), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((alternatives) => alternatives.map((terms) => terms.flat().join('')).join('|')),
}));

/** The expression as browsers take it; `undefined` when they do not. */
function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`, 'v');
  } catch {
    return undefined;
  }
}

test('any expression loads if browsers take it, and matches what they match', () => {
  const short = fc.array(fc.constantFrom('a', 'b', '1', ' ', '(', ')', ']', 'é', '\n'), { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.oneof(expression, fc.string({ maxLength: 8 })),
      fc.array(short, { minLength: 1, maxLength: 4 }),
      (source, values) => {
        const regex = compiled(source);
        if (!regex) {
          expect(() => new Pattern(source)).toThrow(SyntaxError);
          return;
        }
        const pattern = new Pattern(source);
        for (const value of values.map((parts) => parts.join(''))) {
          expect(pattern.matches(value, patternBudget())).toBe(regex.test(value));
        }
      },
    ),
    runs(2_000),
  );
});

test('whatever the expression and however long the value, the answer comes in time', () => {
  fc.assert(
    fc.property(
      expression.filter((source) => compiled(source) !== undefined),
      fc.constantFrom('a', 'ab', 'b ', '1', 'aab'),
      fc.constantFrom('', '!', 'b', '('),
      (source, repeated, end) => {
        const value = repeated.repeat(5_000).slice(0, 9_999) + end;
        const budget = patternBudget(performance.now.bind(performance));
        const startedAt = performance.now();
        new Pattern(source).matches(value, budget);
        // The watch is good for 250 ms; other processes may have the core meanwhile.
        expect(performance.now() - startedAt).toBeLessThan(3_000);
      },
    ),
    runs(50, 0.05),
  );
});
