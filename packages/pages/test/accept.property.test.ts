/** Who gets a page and who gets JSON, by the Accept header (RFC 9110, 12.5.1). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRelay } from '../../../test/support/bare_relay.ts';
import { runs } from '../../../test/support/fuzz.ts';

const relay = createRelay({
  config:
    'forms: {a: {redirect: "https://example.com/", fields: [{name: a, required: true}], outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]}}',
  throttled: false,
  effects: { log: () => {} },
});

async function answered(accept: string) {
  const { status, headers } = await relay.handle({
    method: 'POST',
    path: '/api/v1/submit/a',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept },
    body: Buffer.from(''),
  });
  expect(status).toBe(422);
  return headers['content-type']?.split(';')[0];
}

const range = fc.record({
  type: fc.constantFrom(
    'text/html',
    'text/*',
    '*/*',
    'application/json',
    'application/*',
    'image/png',
    'text/plain',
  ),
  /** In thousandths; `undefined` where it is not said. */
  q: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
});
const ranges = fc.uniqueArray(range, { selector: ({ type }) => type });
const space = fc.constantFrom('', ' ', '\t');
const quality = (q: number) => (q === 1_000 ? '1.000' : `0.${String(q).padStart(3, '0')}`);

test('a page goes to whoever wants HTML more than JSON', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, space, fc.boolean(), async (ranges, space, isLoud) => {
      const wanted = (...types: string[]) => {
        const named = types
          .map((type) => ranges.find((one) => one.type === type))
          .find((one) => one !== undefined);
        return named ? (named.q ?? 1_000) : 0;
      };
      const header = ranges
        .map(({ type, q }) => type + (q === undefined ? '' : `${space};${space}q=${quality(q)}`))
        .join(`${space},${space}`);
      const isPage =
        ranges.some(({ type }) => type.startsWith('text/')) &&
        wanted('text/html', 'text/*', '*/*') > wanted('application/json', 'application/*', '*/*');
      const expected = isPage ? 'text/html' : 'application/json';
      // Neither names nor `q` care about case; `text/` alone is looked for as browsers write it.
      expect(await answered(isLoud ? header.replaceAll('q=', 'Q=').replaceAll('json', 'JSON') : header)).toBe(
        expected,
      );
    }),
    runs(100),
  );
});

test('any header gets one or the other', async () => {
  const piece = fc.constantFrom(
    'text/',
    'html',
    '*/*',
    ';',
    'q=',
    ',',
    '=',
    '"',
    '0.5',
    'NaN',
    'Infinity',
    '-1',
    ' ',
    'application/json',
    '1e9',
    '\xff',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.array(piece).map((parts) => parts.join('')),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ),
      async (header) => {
        expect(['text/html', 'application/json']).toContain(await answered(header));
      },
    ),
    runs(100),
  );
});
