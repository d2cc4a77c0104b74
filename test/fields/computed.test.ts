/** Fields of type computed, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact } from '../spec/stage.ts';

type Sent = readonly (readonly [string, string])[];

/** What the output gets for the field `f`. */
async function resultOf(keys: string, sent: Sent, others = ''): Promise<string | undefined> {
  const form = await contact({
    fields: `[{name: a, type: number, step: any}, {name: b, type: number, step: any}, ${others} {name: f, type: computed, ${keys}}]`,
  });
  const answer = await form.send(...sent);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return form.delivered[0]?.find(([name]) => name === 'f')?.[1];
}

describe('a formula', () => {
  test.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 4 - 3', '3'],
    ['100 / 10 / 5', '2'],
    ['2 - -3', '5'],
    ['-(1 + 1) * 3', '-6'],
    ['+4', '4'],
    ['.5 + 1.', '1.5'],
    ['a * 3', '59.97'],
    ['a * 100', '1999'],
    ['0.1 + 0.2', '0.3'],
    ['b - a', '-14.99'],
    ['sum(a, b, 1)', '25.99'],
    ['min(a, b) + max(a, b, 30)', '35'],
    ['round(1.005, 2)', '1.01'],
    ['round(-1.005, 2)', '-1.01'],
    ['round(2.5)', '3'],
    ['1 / 3 * 3', '1'],
    ['1 / 3', '0.333333'],
    ['2 / 3', '0.666667'],
    ['0 - 0', '0'],
    ['-0.0000001', '0'],
    ['999999999999999', '999999999999999'],
    ['"a" + \'b\'', '24.99'],
  ])('%s is %s', async (formula, result) => {
    const sent = await resultOf(`formula: ${JSON.stringify(formula)}`, [
      ['a', '19.99'],
      ['b', '5'],
    ]);
    expect(sent).toBe(result);
  });

  test.each([
    ['formula: 1.005, digits: 2', '1.01'],
    ['formula: 7, digits: 2', '7.00'],
    ['formula: 2.5, digits: 0', '3'],
    ['formula: -2.5, digits: 0', '-3'],
    ['formula: -0.4, digits: 0', '0'],
    ['formula: 360, currency: EUR', '360.00'],
    ['formula: 360.5, currency: JPY', '361'],
    ['formula: 1.0005, currency: KWD', '1.001'],
    ['formula: 360.5, currency: EUR, digits: 0', '361'],
  ])('{%s} is %s', async (keys, result) => {
    expect(await resultOf(keys, [])).toBe(result);
  });

  test.each([
    ['10 / a', [['a', '0']]],
    ['10 / a', []],
    ['a * a', [['a', '1e15']]],
    ['a', [['a', '1e300']]],
    ['a', [['a', '-1e15']]],
    ['1000000000 * 1000000000 * 1000000000 * 1000000000 * 1000000000 * a', [['a', '0']]],
  ] as const)('%s with %j has no result, and is sent without it', async (formula, sent) => {
    expect(await resultOf(`formula: ${formula}`, sent)).toBe(undefined);
    const form = await contact({
      fields: `[{name: a, type: number, step: any}, {name: f, type: computed, required: true, formula: ${formula}}]`,
    });
    expect(await form.send(...sent)).toMatchObject({
      status: 422,
      json: { error: 'f: This could not be worked out. Check the numbers that you entered.' },
    });
  });

  test('counts options by their worth, and boxes that are ticked', async () => {
    const others = `
      {name: kind, type: radios, options: [{value: x, worth: 120.10}, {value: "2"}]},
      {name: size, type: select, multiple: true, options: [{value: s, worth: 1}, {value: l, worth: 10}]},
      {name: extras, type: checkboxes, options: [{value: u, worth: 0.5}, {value: v, worth: -100}]},
      {name: fast, type: checkbox, worth: 1000},
      {name: stars, type: rating}, {name: nps, type: scale}, {name: heat, type: range},`;
    const formula = 'formula: kind + size + sum(extras) + fast + stars * nps + heat';
    const all = [
      ['kind', 'x'],
      ['size', 's'],
      ['size', 'l'],
      ['extras', 'u'],
      ['extras', 'v'],
      ['extras', 'u'],
      ['fast', 'on'],
      ['stars', '3'],
      ['nps', '7'],
      ['heat', '50'],
    ] as const;
    expect(await resultOf(formula, all, others)).toBe('1102.6');
    expect(await resultOf(formula, [['kind', '2']], others)).toBe('2');
    // An untouched slider sends this.
    expect(await resultOf(formula, [['heat', '-1']], others)).toBe('0');
    expect(await resultOf('formula: max(size)', all, others)).toBe('10');
  });

  test('takes the first case that holds, or 0', async () => {
    const cases = (rest: string) =>
      `formula: [{when: {field: kind, is: [x, y]}, value: a * 40}, {when: {field: b, filled: true}, value: b}${rest}]`;
    const others = '{name: kind, type: radios, options: [x, y, z]},';
    const sent = [
      ['a', '3'],
      ['b', '5'],
    ] as const;
    expect(await resultOf(cases(''), [...sent, ['kind', 'y']], others)).toBe('120');
    expect(await resultOf(cases(''), [...sent, ['kind', 'z']], others)).toBe('5');
    expect(await resultOf(cases(''), [['a', '3']], others)).toBe('0');
    expect(await resultOf(cases(', {value: a * 80}'), [['a', '3']], others)).toBe('240');
  });

  test('leaves out fields that are not shown', async () => {
    const others = `
      {name: kind, type: radios, options: [x, y]},
      {name: fee, type: number, visible_when: {field: kind, is: x}},
      {name: tip, type: number, visible_when: {field: fee, filled: true}},
      {name: some, type: computed, formula: tip * 2, visible_when: {field: kind, is: x}},`;
    const sent = [
      ['fee', '10'],
      ['tip', '1'],
    ] as const;
    expect(await resultOf('formula: fee + tip + some', [['kind', 'x'], ...sent], others)).toBe('13');
    expect(await resultOf('formula: fee + tip + some', [['kind', 'y'], ...sent], others)).toBe('0');
  });
});

describe('over the entries of a field that repeats', () => {
  const others = `
    {name: card, type: checkbox},
    {name: lines, type: repeat, most: 4, fields: [
      {name: price, type: number, step: any, required: true}, {name: amount, type: number, value: 1},
      {name: size, type: checkboxes, options: [{value: s, worth: 10}, {value: l, worth: 100}]}, {name: note}]},
    {name: guests, type: repeat, visible_when: {field: card, filled: true}, fields: [{name: age, type: number}]},`;
  /** Two entries, with others between and behind them that hold nothing but what they began with. */
  const sent = [
    ['lines.1.price', ''],
    ['lines.1.amount', '1'],
    ['lines.2.price', '9.99'],
    ['lines.2.amount', '３'],
    ['lines.2.size', 's'],
    ['lines.2.size', 'l'],
    ['lines.3.note', ''],
    ['lines.4.price', '0.5'],
    ['lines.4.amount', ''],
    ['guests.1.age', '7'],
  ] as const;

  test.each([
    ['count(lines) * 40', '80'],
    ['sum(lines.price)', '10.49'],
    ['sum(lines.price * lines.amount)', '29.97'],
    ['sum(lines.price * (lines.amount + 1), 1)', '41.46'],
    ['sum(-lines.price / 2)', '-5.245'],
    ['sum(round(lines.price * 1.19, 1))', '12.5'],
    ['sum(lines.price * a)', '20.98'],
    ['sum(lines.price) / count(lines)', '5.245'],
    ['max(lines.price) - min(lines.price)', '9.49'],
    // What is empty is none, and not 0.
    ['min(lines.amount)', '3'],
    ['sum(lines.size)', '110'],
    ['sum(lines.size * lines.amount)', '330'],
    ['max(lines.size)', '100'],
    ['sum(max(lines.price) * lines.amount)', '29.97'],
    ['count(guests) + sum(guests.age)', '0'],
  ])('%s is %s', async (formula, result) => {
    expect(await resultOf(`formula: "${formula}"`, [['a', '2'], ...sent], others)).toBe(result);
  });

  test('forged results, numbers and entries count for nothing', async () => {
    const forged = [
      ['f', '1'],
      ['lines', '[{"price":1000}]'],
      ['lines.price', '1000'],
      ['lines.1.total', '1000'],
    ] as const;
    expect(await resultOf('formula: count(lines) + sum(lines.price)', [...forged, ...sent], others)).toBe(
      '12.49',
    );
  });
});

test('a submission without a result arrives, and its owner hears of it', async () => {
  const form = await contact({
    fields:
      '[{name: a, type: number, step: any}, {name: f, type: computed, formula: a * a}, {name: g, type: computed, formula: a + 1}]',
  });
  const left = () => form.logged.filter(({ event }) => event === 'result_left_out');
  expect((await form.send(['a', '2'])).status).toBe(200);
  expect((await form.send()).status).toBe(200);
  expect(left()).toEqual([]);
  const { status, headers } = await form.send(['a', '98765432.5']);
  expect(status).toBe(200);
  expect(form.delivered.at(-1)).toEqual([
    ['a', '98765432.5'],
    ['g', '98765433.5'],
  ]);
  expect(left()).toEqual([
    expect.objectContaining({
      level: 'warn',
      request_id: headers.get('x-request-id'),
      form: 'contact',
      fields: ['f'],
    }),
  ]);
  expect(JSON.stringify(left())).not.toContain('98765432');
});

test('a result that is sent counts for nothing', async () => {
  const form = await contact({
    fields:
      '[{name: a, type: number}, {name: f, type: computed, formula: a * 80}, {name: g, type: computed, required: true, formula: f / a}]',
  });
  await form.send(['a', '2'], ['f', '1'], ['f', '5'], ['g', '0']);
  await form.send(['f', '1']);
  expect(form.delivered).toEqual([
    [
      ['a', '2'],
      ['f', '160'],
      ['g', '80'],
    ],
  ]);
  const { text } = await form.get('/api/v1/form/contact?a=2&f=1');
  expect(text).toMatch(/<output[^>]*>Worked out after you send/);
  // Nobody has to fill it in.
  expect(text).not.toContain('field-required');
});

test('what is missing or wrong is told of the field that it is about', async () => {
  const form = await contact({
    fields:
      '[{name: a, type: number, required: true}, {name: f, type: computed, required: true, formula: a * 80}]',
  });
  expect((await form.send()).json).toMatchObject({ error: 'a: Enter a number.' });
  expect((await form.send(['a', 'two'])).json).toMatchObject({ error: 'a: Enter a number, such as 42.' });
});
