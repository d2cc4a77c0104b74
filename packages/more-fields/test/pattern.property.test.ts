/** A pattern matches the same values as in a browser, and never takes long. */
import fc from 'fast-check';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { mostSteps, readPattern } from '../src/pattern/index.ts';

// Not `[^]`: `[^]{2}` matches one character in Node 20.
const character = fc.constantFrom(
  ...['a', 'b', 'é', '\u{1F600}', '\\(', '\\-', '\\u{61}', '\\u0061', '\\x61', '\\ud83d\\ude00'],
  ...['\\ud83d', '\\n'],
  ...['\\cJ', '\\0', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\p{L}', '\\P{Lu}', '\\p{Script=Greek}'],
  ...['-', '/'],
  ...['[ab]', '[^a]', '[a-z\\d]', '[\\)\\]]', '[[a-z]&&[^aeiou]]', '[\\p{L}--[a-z]]', '[[ab][cd]]', '[]'],
);
const other = fc.constantFrom('\\b', '\\B', '^', '$', '', '\\1', '[\\q{ab|a}]', '\\p{RGI_Emoji}');
const quantifier = fc.constantFrom(
  ...['', '', '', '*', '+', '?', '*?', '{2}', '{0,3}', '{1,}', '+?', '{0}', '{2,3}?'],
);
const { expression } = fc.letrec<Record<'expression' | 'term', string>>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: character, weight: 6 },
    { arbitrary: other, weight: 1 },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom('(', '(?:', '(?:', '(', '(?=', '(?!', '(?<=', '(?<!', '(?<name>'),
          tie('expression'),
        )
        .map(([open, inner]) => `${open}${inner})`),
      weight: 4,
    },
  ),
  expression: fc
    .array(fc.array(fc.tuple(tie('term'), quantifier), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((alternatives) => alternatives.map((terms) => terms.flat().join('')).join('|')),
}));

const value = fc
  .array(
    fc.constantFrom(
      ...['a', 'b', 'c', 'A', '1', ' ', '(', ')', ']', '-', '/', 'é', 'λ', '\n', '\0', '\u2028'],
      ...['\u{1F600}', '\ud83d', '\ude00', 'e\u0301'],
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** The expression as browsers compile it; `undefined` if they reject it. */
function compiled(source: string): RegExp | undefined {
  try {
    new RegExp(source, 'v');
    return new RegExp(`^(?:${source})$`, 'v');
  } catch {
    return undefined;
  }
}

function patternOf(source: string) {
  const pattern = readPattern(source);
  return typeof pattern === 'string' ? undefined : pattern;
}

/** With some expressions, browsers' engine takes hours for eight characters. */
const isSlow = (source: string) => /[*+?}].*[*+?}]/.test(source);

test('any expression loads if browsers accept it, and matches the same values', () =>
  holds(
    150,
    [
      fc.oneof({ arbitrary: expression, weight: 9 }, fc.string({ maxLength: 8 })),
      fc.array(value, { minLength: 1, maxLength: 4 }),
    ],
    (source, values) => {
      const regex = compiled(source);
      const pattern = readPattern(source);
      expect(pattern === 'invalid').toBe(regex === undefined);
      if (pattern === 'unbounded') expect(source).toMatch(/\\1|\\q|RGI_Emoji/);
      for (const value of values) {
        const one = isSlow(source) ? value.slice(0, 4) : value;
        expect(patternOf(source)?.matches(one, { left: 1_000_000 }) ?? regex?.test(one)).toBe(
          regex?.test(one),
        );
      }
    },
  ));

test('the automaton rebuilds the states that it has evicted', async () => {
  const pattern = patternOf('(?:[a-z]|\\p{L})*a(?:[a-z]|\\p{L}){9}');
  const regex = compiled('\\p{L}*a\\p{L}{9}');
  const letter = fc.oneof(
    fc.constantFrom('a', 'b'),
    fc.nat(0x4000).map((n) => String.fromCodePoint(0x4e00 + n)),
  );
  await holds(30, [fc.array(letter, { minLength: 10, maxLength: 500 })], (letters) => {
    const text = letters.join('');
    expect(pattern?.matches(text, { left: Infinity })).toBe(regex?.test(text));
  });
});

test('matching is fast for any expression and a value of any length', () =>
  holds(
    runs(20, 0.05),
    [
      expression.filter((source) => compiled(source) !== undefined),
      fc.constantFrom('a', 'ab', 'b ', '1', 'aab'),
      fc.constantFrom('', '!', 'b', '('),
    ],
    (source, repeated, end) => {
      const text = repeated.repeat(5_000).slice(0, 9_999) + end;
      const cpuMs = startCpuClock();
      patternOf(source)?.matches(text, { left: mostSteps });
      // A match takes a few milliseconds.
      expect(cpuMs()).toBeLessThan(500);
    },
  ));
