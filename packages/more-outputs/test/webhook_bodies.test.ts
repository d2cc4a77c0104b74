/** Plain words in a webhook's `body` are typed as in JSON; all else in a config is text. */

import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';

/** The JSON that a form with this `body` sends. */
async function sent(body: string): Promise<unknown> {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `forms:\n  contact:\n    fields: [{name: name}]\n    outputs: [{type: webhook, url: "${sink.origin}", body: ${body}}]\n`,
  });
  await relay.submit('contact', [['name', 'Ada']]);
  return JSON.parse(sink.requests[0]?.bytes.toString('utf8') ?? '');
}

const as = (value: unknown, words: string): [string, unknown][] =>
  words.split(' ').map((word) => [word, value]);
const asTheyAre = (words: string): [string, unknown][] => words.split(' ').map((word) => [word, word]);

/** Each a plain word, and what is sent of it. */
const plainWords = [
  ...as(true, 'true True TRUE'),
  ...as(false, 'false False FALSE'),
  ...asTheyAre('tRUE truely untrue fALSE falsely nofalse yes on'),
  ...[0, -1, 1, 10, 120, 2.5, 2.25, -0.125].map((number): [string, unknown] => [String(number), number]),
  ...as(100, '1e2 1E2 1e+2 1.0e+02'),
  ...as(1e-12, '1e-12'),
  ...asTheyAre('01 -01 +1 .5 1. 1.e2 1e 1e2.5 0x1f 1_000 v1 1v'),
  ...as(null, ' ~'),
];

test('plain words are what they are in JSON, and all others are text, as all in quotes', async () => {
  const body = plainWords.map(([word], n) => `p${n}: ${word}, q${n}: "${word}"`).join(', ');
  const expected = plainWords.map(([word, value], n) => ({ [`p${n}`]: value, [`q${n}`]: word }));
  expect(await sent(`{${body}}`)).toEqual(Object.assign({}, ...expected));
});

test('types are kept in lists and maps of any depth', async () => {
  expect(await sent('[1, [2, "3", {a: 4, b: [5, {c: true}]}]]')).toEqual([
    1,
    [2, '3', { a: 4, b: [5, { c: true }] }],
  ]);
});

test('a number differs from text where anchors are used twice, and where a tag says it', async () => {
  expect(await sent('{a: &x 5, b: *x, c: &x "7", d: *x, e: !!str 8, f: [*x, &x 9, *x]}')).toEqual({
    ...{ a: 5, b: 5, c: '7', d: '7', e: '8', f: ['7', 9, 9] },
  });
});
