/** Computed fields, through real HTTP. */
import fc from 'fast-check';
import { fieldContract } from 'form-relay/testing';
import { expect, test } from 'vitest';
import { runs } from '../test/support/fuzz.ts';
import { contact } from '../test/support/index.ts';
import { resultOf } from './formula.ts';
import { parseFormula } from './formula_parser.ts';

const promises = fieldContract({
  type: 'computed',
  keys: { formula: '1 / 0' },
  accepts: ['5', 'forged'],
  rejects: [],
});
test.each([...promises])('$name', ({ run }) => run());

const others = `
  {name: a, type: number, step: any}, {name: b, type: number}, {name: box, type: checkbox},
  {name: seen, type: number, visible_when: {field: box, filled: true}},
  {name: pick, type: checkboxes, options: [{value: x, worth: 1.5}, {value: y, worth: -2}, "7"]},
  {name: lines, type: repeat, most: 3, fields: [{name: price, type: number, step: any}, {name: n, type: number, value: 2}, {name: tip, type: checkbox, worth: 0.5}]},
  {name: "guest-count", type: number}`;
const sent =
  'a=19.99&b=5&seen=3&f=999&pick=x&pick=7&lines.1.price=10.10&lines.1.n=3&lines.2.price=2&lines.2.n=2&lines.2.tip=on&lines.3.n=2&guest-count=4';

/** The value of the field `f` that an output gets. */
async function resultFor(keys: string): Promise<string | undefined> {
  const form = await contact({ fields: `[${others}, {name: f, type: computed, ${keys}}]` });
  const answer = await form.send(...new URLSearchParams(sent));
  expect(answer.status, answer.text).toBe(200);
  return form.delivered[0]?.find(([name]) => name === 'f')?.[1];
}

test.each([
  ['1 + 2 * 3', '7'],
  ['2 − 3 × (4 ÷ 8)', '0.5'],
  ['2 - -3', '5'],
  ['0.1 + 0.2', '0.3'],
  ['1 / 3 * 3', '1'],
  ['2 / 3', '0.666667'],
  ['round(1.005, 2) + round(-2.5)', '-1.99'],
  ['if(a >= 19.99, 1, 2) + if(b != 5, 10, 20)', '21'],
  ['if(box, 1, 1 / 0)', undefined],
  ['if(b > 3, 1, 1 / 0)', '1'],
  ['a * "guest-count"', '79.96'],
  ['pick', '8.5'],
  ['max(pick) + min(pick, b)', '8.5'],
  ['seen + 1', '1'],
  ['sum(lines.price * lines.n) + count(lines)', '36.3'],
  ['max(lines.price, 11) + sum(lines.tip)', '11.5'],
  ['1 / (b - 5) + 1', undefined],
  ['999999999999999 + 1', undefined],
  ['1000000000000000000000 * 1000000000000000000000', undefined],
])('%s is %s', async (formula, result) =>
  expect(await resultFor(`formula: ${JSON.stringify(formula)}`)).toBe(result),
);

test.each([
  ['formula: 1.005, digits: 2', '1.01'],
  ['formula: 360, currency: EUR', '360.00'],
  ['formula: 360.5, currency: JPY', '361'],
  [
    'formula: [{when: {field: box, filled: true}, value: 1}, {when: {field: pick, is: [x, y]}, value: a}, {value: 3}]',
    '19.99',
  ],
])('{%s} is %s', async (keys, result) => expect(await resultFor(keys)).toBe(result));

test('a result decides which fields are shown, reaches .labels and JSON, and cannot be changed by visitors', async () => {
  const form = await contact({
    fields: `[{name: n, type: number}, {name: total, type: computed, currency: EUR, formula: fee * n},
      {name: fee, type: computed, formula: "if(n ≥ 3, 10, 20)"}, {name: vat, required: true, visible_when: {field: total, at_least: 100}}]`,
    outputs: `[{type: webhook, url: $sink, mapping: "*"}, {type: http_post, url: $sink, mapping: {total: total}, static: {said: "{{ .labels.total }}"}, when: {field: total, at_most: 50}}]`,
  });
  expect((await form.send(['n', '10'], ['total', '1'])).text).toContain('vat');
  expect((await form.send(['n', '1'], ['total', '5000'], ['vat', 'x'])).status).toBe(200);
  expect(form.bodies.toSorted()).toEqual(['said=€20.00&total=20.00', '{"fee":20,"n":1,"total":20}=']);
});

test('if a result cannot be computed, people read so, the log has it, and machines get no value', async () => {
  const form = await contact({
    fields: `[{name: n, type: number}, {name: off, type: checkbox}, {name: total, type: computed, formula: 1 / n, visible_when: {field: off, filled: false}}, {name: all, type: computed, formula: total + 5}]`,
    outputs: `[{type: discord, url: $sink}, {type: webhook, url: $sink, mapping: "*"}]`,
  });
  for (const off of ['', 'on']) await form.send(['n', '0'], ['off', off]);
  expect(form.bodies.filter((body) => body.includes('could not be worked out'))).toHaveLength(1);
  expect(form.bodies).toContain('{"n":0,"off":false}=');
  // A hidden total counts as 0. If a total has no result, the totals that use it have none either.
  expect(form.bodies).toContain('{"all":5,"n":0,"off":true}=');
  const events = form.logged.filter(({ event }) => event === 'result_left_out');
  expect(events.map(({ level, field }) => `${level} ${field}`)).toEqual(['warn total', 'warn all']);
});

/** An expression, and its value as a fraction. */
type Fraction = readonly [text: string, n: bigint, d: bigint];
type Result = (a: Fraction, b: Fraction) => readonly [n: bigint, d: bigint];

const isLess = ([, n, d]: Fraction, [, n2, d2]: Fraction) => n * d2 < n2 * d;
const { whole } = fc.letrec<{ exact: Fraction; whole: Fraction }>((of) => {
  const join = (signs: readonly string[], left: 'exact' | 'whole', result: Result) =>
    fc
      .tuple(of(left), fc.constantFrom(...signs), of('exact'))
      .map(([a, sign, b]): Fraction => [`(${a[0]} ${sign} ${b[0]})`, ...result(a, b)]);
  const exact = [
    fc.integer({ min: 0, max: 99 }).map((n): Fraction => [`${n / 10}`, BigInt(n), 10n]),
    fc.constantFrom<Fraction>(['a', 5n, 2n], ['"b c"', -3n, 1n]),
    join(['+'], 'exact', ([, n, d], [, n2, d2]) => [n * d2 + n2 * d, d * d2]),
    join(['-', '−'], 'exact', ([, n, d], [, n2, d2]) => [n * d2 - n2 * d, d * d2]),
    join(['*', '×'], 'exact', ([, n, d], [, n2, d2]) => [n * n2, d * d2]),
    fc.array(of('exact'), { minLength: 4, maxLength: 4 }).map((all): Fraction => {
      const [a, b, c, d] = all as [Fraction, Fraction, Fraction, Fraction];
      const [, ...value] = isLess(a, b) ? c : d;
      return [`if(min(${a[0]}, ${b[0]}) != ${b[0]}, ${c[0]}, ${d[0]})`, ...value];
    }),
  ];
  return {
    exact: fc.oneof({ maxDepth: 3, depthIdentifier: 'formula' }, ...exact),
    // A quotient is rounded to 20 places, so comparisons do not use it here.
    whole: fc.oneof(
      of('exact'),
      join(['/', '÷'], 'whole', ([, n, d], [, n2, d2]) => [n * d2, d * n2]),
    ),
  };
});

test('a formula has the same result as exact fractions, rounded to six places', () => {
  const read = (name: string) => [name === 'a' ? '2.5' : '-3'];
  const property = fc.property(whole, ([text, n, d]) => {
    const formula = { cases: [{ value: parseFormula(text) }], sources: {}, digits: 6 };
    const result = resultOf(formula, read, () => []);
    if (d === 0n) return result === '';
    const off = BigInt(result.replace('.', '')) * d - n * 1_000_000n;
    return 2n * (off < 0n ? -off : off) <= (d < 0n ? -d : d);
  });
  fc.assert(property, runs(300));
});
