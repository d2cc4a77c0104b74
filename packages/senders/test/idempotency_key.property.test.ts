import fc from 'fast-check';
import { holds, property } from '../../../test/support/fuzz.ts';
import { readIdempotencyKey } from '../src/keys/index.ts';

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});

/** RFC 9651, 4.1.6. */
const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

property('every printable text is read unchanged from its quotes', 200, [printable], (text) => {
  const isKey = text.length >= 1 && text.length <= 255;
  expect(readIdempotencyKey(quoted(text))).toBe(isKey ? text : undefined);
});

test('a bare text is the same key as in quotes', () =>
  holds(
    200,
    [printable.filter((text) => text.trim() === text && !text.startsWith('"') && text !== '')],
    (text) => {
      expect(readIdempotencyKey(text)).toBe(readIdempotencyKey(quoted(text)));
    },
  ));
