import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { runs } from '../../../test/support/fuzz.ts';
import { record } from '../src/archive/sheet.ts';

/** A reader of RFC 4180 that shares no code with the writer; `separator` as its user has set it. */
function readCsv(text: string, separator = ','): readonly (readonly string[])[] {
  const records: string[][] = [];
  let [cells, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] !== '"') isQuoted = false;
      else {
        cell += char;
        at += 1;
      }
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === separator) {
      cells.push(cell);
      cell = '';
    } else if (char === '\r' || char === '\n') {
      records.push([...cells, cell]);
      [cells, cell] = [[], ''];
      if (char === '\r' && text[at + 1] === '\n') at += 1;
    } else cell += char;
  }
  return cell === '' && cells.length === 0 ? records : [...records, [...cells, cell]];
}

/** Characters in formulas, and around them. */
const nasty = fc.string({
  unit: fc.constantFrom(...'=+-@＝＋－＠\'";,|\t\r\n a1'.split('')),
  maxLength: 12,
});
const texts = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 4 });

/** Some readers leave out the white space before. */
const isFormula = (cell: string) => /^\s*[=+\-@＝＋－＠]/.test(cell);

describe('a record', () => {
  test('is read as it was written, but for the apostrophes before formulas', () =>
    fc.assert(
      fc.property(texts, (cells) => {
        const [read = [], ...more] = readCsv(record(cells));
        expect(more).toEqual([]);
        expect(read.length).toBe(cells.length);
        const bare = (text: string) => text.replaceAll("'", '');
        expect(read.map(bare)).toEqual(cells.map(bare));
      }),
      runs(50),
    ));

  test.each([',', ';', '\t'])('holds no formula for a reader whose separator is %j', (separator) =>
    fc.assert(
      fc.property(texts, (cells) => {
        expect(readCsv(record(cells), separator).flat().filter(isFormula)).toEqual([]);
      }),
      runs(50),
    ),
  );

  test('costs no more than its length, whatever stands in it', () => {
    const long = `${';"\n'.repeat(300_000)}=`;
    const cpuMs = startCpuClock();
    record([long]);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
