/** Quoted-printable of any text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { quotedPrintable } from '../../src/mail/text_part.ts';

const lineBreak = /\r\n|\r|\n/g;

const piece = fc.oneof(
  // A line may be broken by what stands in its last 25 of 75 characters.
  fc
    .tuple(
      fc.constantFrom('x', 'é', '日', '👋', '=', 'word ', 'a,b', '\0'),
      fc.constantFrom(1, 2, 12, 13, 24, 25, 26, 37, 38, 50, 51, 52, 73, 74, 75, 76, 77),
    )
    .map(([unit, times]) => unit.repeat(times)),
  fc.constantFrom(
    '\n',
    '\r\n',
    '\r',
    '\n\r',
    ' ',
    '\t',
    '.',
    ' \n',
    '=3D',
    '=\n',
    '\x7f',
    '\u2028',
    '\ud83d',
  ),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('').replaceAll(lineBreak, '\n'));

test('encoded text follows RFC 2045, 6.7, and reads as it was written', () => {
  fc.assert(
    fc.property(text, (text) => {
      const lines = quotedPrintable(text).split('\n');
      for (const line of lines) {
        expect(line.length).toBeLessThanOrEqual(76);
        expect(line).toMatch(/^(?:[!-<>-~\t ]|=[\dA-F]{2})*(?:(?<![\t ])|=)$/);
      }
      const bytes = lines
        .map((line) => (line.endsWith('=') ? line.slice(0, -1) : `${line}\n`))
        .join('')
        .replaceAll(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      const read = Buffer.from(bytes, 'latin1').toString();
      expect(read).toBe(`${Buffer.from(text)}\n`);
    }),
    runs(100),
  );
});
