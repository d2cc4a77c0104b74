/** What is read from a report: codes, ids and times. */
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../core/src/kit.ts';
import {
  codeIn,
  isTimely,
  kindOf,
  listOf,
  mapOf,
  requestIdIn,
  textOf,
  timeOf,
} from '../../src/bounces/providers/provider.ts';

const now = Date.parse('2030-11-26T10:30:00Z');
const later = now + 60_000;
const hourMs = 3_600_000;

describe('an enhanced status code', () => {
  const hard = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '5.4.4'];
  const soft = ['4.1.1', '4.4.4', '5.2.2', '5.2.3', '5.3.4', '5.7.1', '5.7.26'];
  const vague = [undefined, '5.0.0', '5.1.0', '5.1.11', '5.1.100', '5.2.4', '5.2.10', '5.3.5', '5.4.40'];

  it.each([
    ...hard.map((code) => [code, 'hard', 'hard'] as const),
    ...soft.map((code) => [code, undefined, undefined] as const),
    ...vague.map((code) => [code, 'hard', undefined] as const),
  ])('%s is %s if the provider says hard, and %s otherwise', (code, said, unsaid) => {
    expect([kindOf(true, code), kindOf(false, code)]).toEqual([said, unsaid]);
  });

  it.each([
    ['5.1.1', ['5.1.1']],
    ['5.1.1', ['smtp; 550 5.1.1 User unknown, 5.2.2']],
    ['4.123.456', ['(4.123.456)']],
    ['2.0.0', ['2.0.0']],
    ['5.1.1', ['5.0.0', '550 5.1.1 User unknown']],
    ['5.0.0', ['5.0.0', '554 no']],
    ['5.0.0', ['5.0.0', '4.0.0']],
    ['5.0.1', ['5.0.1', '5.1.1']],
    ['5.1.0', ['5.1.0', '5.1.1']],
    ['5.10.0', ['5.10.0', '5.1.1']],
    ['5.1.1', [undefined, 5.11, null, {}, '5.1.1']],
    [undefined, []],
    [undefined, ['550 15.1.1, 3.1.1, 1.5.1.1, 5.1.1.1, 5.1234.1, 5.1.1234, 5.1, 5x1x1']],
  ])('%s is in %j', (code, texts) => {
    expect(codeIn(...texts)).toBe(code);
  });

  it('is within the first 1,000 characters', () => {
    expect(codeIn(`${'x'.repeat(995)}5.1.1`)).toBe('5.1.1');
    expect(codeIn(`${'x'.repeat(996)}5.1.1`)).toBeUndefined();
  });
});

describe('a Message-ID', () => {
  const id = '6f5902ac-237d-4d3b-9a3e-6e4d3c1d2e11';
  it.each([
    [id, `<${id}-confirmation@seeds.example>`],
    [id, ` ${id}-output-0@seeds.example\n`],
    [id, `<${id}-${'a'.repeat(40)}@seeds.example>`],
    [undefined, `<${id}-${'a'.repeat(41)}@seeds.example>`],
    [undefined, `<${id}-@seeds.example>`],
    [undefined, `<${id}@seeds.example>`],
    [undefined, `<${id}-Confirmation@seeds.example>`],
    [undefined, `<${id}-confirmation>`],
    [undefined, `<x${id}-confirmation@seeds.example>`],
    [undefined, `<${id.toUpperCase()}-confirmation@seeds.example>`],
    [undefined, `<${id.replace('-', '')}-confirmation@seeds.example>`],
    [undefined, `<${id.slice(1)}-confirmation@seeds.example>`],
    [undefined, `<${id.slice(0, -1)}-confirmation@seeds.example>`],
    [undefined, 5],
    [undefined, undefined],
  ])('says that the request was %s: %j', (expected, messageId) => {
    expect(requestIdIn(messageId)).toBe(expected);
  });
});

describe('JSON of a provider', () => {
  it.each<[at: number, found: unknown]>([
    [now, '2030-11-26T10:30:00Z'],
    [now, now / 1_000],
    [now, String(now / 1_000)],
    [now + 500, now / 1_000 + 0.5],
    ...['soon', '', '1969-12-31T23:59:59Z', 0, -1, Infinity, Number.NaN, null, undefined, {}].map(
      (found): [number, unknown] => [later, found],
    ),
    // Times to come count as now.
    [later, '9999-01-01T00:00:00Z'],
    [later, later / 1_000 + 1],
  ])('has the time %d in %j', (at, found) => {
    expect(timeOf(found, later)).toBe(at);
  });

  it.each([
    ['a', 'a', {}, []],
    [5, '5', {}, []],
    [null, '', {}, []],
    [true, '', {}, []],
    [undefined, '', {}, []],
    [{ a: 1 }, '', { a: 1 }, []],
    [[1], '', {}, [1]],
  ])('may have any type in any place: %j', (found, text, map, list) => {
    expect([textOf(found), mapOf(found), listOf(found)]).toEqual([text, map, list]);
  });

  it('is no JSON now and then', () => {
    const bodies = [Buffer.from('{"a":[1]}'), '{"a":[1]}', '{', ''];
    expect(bodies.map((one) => parseJson(one.toString()))).toEqual([
      { a: [1] },
      { a: [1] },
      undefined,
      undefined,
    ]);
  });
});

it.each([
  [true, 0, undefined],
  [true, 15 * 60_000, undefined],
  [false, 15 * 60_000 + 1, undefined],
  [true, -25 * hourMs, undefined],
  [false, -25 * hourMs - 1, undefined],
  [true, -300_000, 300_000],
  [false, -300_001, 300_000],
  [false, Number.NaN, undefined],
])('that a request is timely is %s at %d ms (at most %s)', (isSo, atMs, mostMs) => {
  expect(isTimely(now + atMs, now, mostMs)).toBe(isSo);
});
