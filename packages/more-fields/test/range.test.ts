/** Fields of type range, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact } from '../../../test/spec/stage.ts';

describe.each([
  ['range', ['0', '50', '100'], '-1'],
  ['range, min: 1, max: 10', ['1', '10'], '0'],
  ['range, min: -5, max: 5, step: 2.5', ['-5', '-2.5', '5'], '-7.5'],
  ['range, min: 0, max: 1, step: 0.1', ['0', '0.3', '0.7', '1'], '-0.1'],
  ['range, min: 0.3, max: 0.9, step: 0.1', ['0.3', '0.9'], '0.2'],
] as const)('{type: %s}', (keys, valid, rest) => {
  test('takes what is on its steps', async () => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    for (const value of valid) expect((await form.send(['f', value])).status).toBe(200);
    expect(form.delivered).toEqual(valid.map((value) => [['f', value]]));
  });

  test('begins at its start, which is no answer', async () => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    expect((await form.get('/api/v1/form/contact')).text).toMatch(
      new RegExp(`<input type="range"[^>]* min="${rest}"[^>]* value="${rest}"`),
    );
    expect((await form.send(['f', rest])).status).toBe(200);
    expect((await form.send(['f', ''])).status).toBe(200);
    expect((await form.send()).status).toBe(200);
    expect(form.delivered.flat().filter(([, value]) => value !== '')).toEqual([]);
  });

  test('must be moved if it is required', async () => {
    const form = await contact({ fields: `[{name: f, required: true, type: ${keys}}]` });
    for (const value of [rest, '']) {
      const answer = await form.send(['f', value]);
      expect(answer).toMatchObject({ status: 422, json: { error: 'f: Move the slider to a value.' } });
    }
    expect((await form.send(['f', valid[0]])).status).toBe(200);
  });
});

test.each([
  ['101', 'Enter a number that is 100 or less.'],
  ['-2', 'Enter a number that is 0 or more.'],
  ['7', 'Enter a number in steps of 5, counted from 0.'],
  ['five', 'Enter a number, such as 42.'],
  ['5⁵', 'Enter a number, such as 42.'],
  ['٧', 'Enter a number in steps of 5, counted from 0.'],
  ['0x10', 'Enter a number, such as 42.'],
  ['1e999', 'Enter a number, such as 42.'],
])('refuses %s', async (value, error) => {
  const form = await contact({ fields: '[{name: f, type: range, step: 5}]' });
  expect(await form.send(['f', value])).toMatchObject({ status: 422, json: { error: `f: ${error}` } });
});

test('a condition sees no answer at the start', async () => {
  const form = await contact({
    fields: '[{name: f, type: range}, {name: g, required: true, visible_when: {field: f, filled: true}}]',
  });
  expect((await form.send(['f', '-1'])).status).toBe(200);
  expect((await form.send(['f', '0'])).status).toBe(422);
  const shown = async (value: string) =>
    (await form.get(`/api/v1/form/contact?f=${value}`, { 'hx-request': 'true' })).text;
  expect(await shown('-1')).not.toContain('name="g"');
  expect(await shown('0')).toContain('name="g"');
});
