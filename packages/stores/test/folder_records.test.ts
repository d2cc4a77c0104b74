import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { keptOf } from '../../../test/support/stores/place.ts';
import {
  decodeForm,
  encodeForm,
  type FileName,
  lettersAt,
  lettersOf,
  nameOf,
  read,
  readName,
  write,
} from '../src/folder/file_format.ts';

const mark = '0123456789abcdef01234567';
const bytesOf = fc.uint8Array({ maxLength: 300 });
const contents = fc.array(bytesOf, { minLength: 1, maxLength: 6 });
const keptWith = (some: readonly Uint8Array[]) =>
  some.map((content) => keptOf(1_700_000_000_000, { content }));
const nameFor = (total: number): FileName => ({
  status: 1,
  keptAt: 2,
  left: total,
  total,
  mark,
  form: encodeForm('contact'),
});
const file = (some: readonly Uint8Array[]) => {
  const kept = keptWith(some);
  const pieces = write(
    mark,
    kept.map((one) => ({ kept: one, isDamaged: false })),
  );
  return { kept, bytes: Buffer.concat(pieces), name: nameFor(kept.length) };
};
const plain = <T extends { readonly content: Uint8Array }>(kept: T) => ({
  ...kept,
  content: Buffer.from(kept.content).toString('hex'),
});

describe('a file of entries', () => {
  test('is read as it was written, except for settled entries', () =>
    holds(75, [contents, fc.array(fc.nat(5))], (some, settled) => {
      const { kept, bytes, name } = file(some);
      const gone = new Set(settled.filter((number) => number < kept.length));
      const left = [...kept.keys()].filter((number) => !gone.has(number));
      bytes.set(lettersOf(name, new Set(left)), lettersAt);
      const found = read(bytes, name);
      expect([...found.keys()]).toEqual(left);
      for (const [number, { kept: one, isDamaged }] of found) {
        expect(isDamaged).toBe(false);
        expect(plain(one)).toEqual(plain(kept[number] as typeof one));
      }
    }));

  test('with a changed byte has only one damaged entry, and reports all of them', () =>
    holds(75, [contents, fc.nat(), fc.integer({ min: 1, max: 255 })], (some, where, change) => {
      const { kept, bytes, name } = file(some);
      const head = lettersAt + kept.length + 1;
      const at = head + (where % (bytes.length - head));
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const found = read(bytes, name);
      expect([...found.keys()]).toEqual([...kept.keys()]);
      const others = [...found].filter(([number, { kept: one, isDamaged }]) => {
        const same = JSON.stringify(plain(one)) === JSON.stringify(plain(kept[number] as typeof one));
        return isDamaged || !same;
      });
      expect(others).toHaveLength(1);
    }));

  test('that is truncated has intact entries before that point, and reports the rest as damaged', () =>
    holds(75, [contents, fc.nat()], (some, where) => {
      const { kept, bytes, name } = file(some);
      const cut = bytes.subarray(0, where % bytes.length);
      const found = read(cut, name);
      expect(found.size).toBe(kept.length);
      const whole = [...found.values()].filter(({ isDamaged }) => !isDamaged);
      expect(whole.map((one) => plain(one.kept))).toEqual(kept.slice(0, whole.length).map(plain));
      expect(whole.length).toBeLessThan(kept.length);
    }));

  test('with any other content is reported as damaged', () =>
    holds(75, [fc.uint8Array({ maxLength: 2_000 }), fc.integer({ min: 1, max: 5 })], (bytes, total) => {
      const found = read(Buffer.from(bytes), nameFor(total));
      expect([...found.values()].map(({ isDamaged }) => isDamaged)).toEqual(Array(total).fill(true));
    }));

  test('may contain submitted text that looks like an entry', () => {
    const inner = file([Buffer.from('inner')]).bytes;
    const { kept, bytes, name } = file([inner, Buffer.from('next')]);
    expect([...read(bytes, name).values()].map((one) => plain(one.kept))).toEqual(kept.map(plain));
  });
});

test('a name can be decoded, is a single path segment, and is not too long', async () => {
  const status = fc.oneof(
    fc.nat({ max: 8.64e15 }),
    fc.constantFrom('refused', 'expired', 'unreadable'),
  ) as fc.Arbitrary<FileName['status']>;
  await holds(
    250,
    [status, fc.string({ unit: 'binary', maxLength: 400 }), fc.nat()],
    (status, form, keptAt) => {
      const name: FileName = { status, keptAt, left: 1, total: 256, mark, form: encodeForm(form) };
      const text = nameOf(name);
      expect(text).toMatch(/^[\w.%~-]{1,250}$/);
      expect(readName(text)).toEqual(name);
      const decoded = decodeForm(name.form);
      expect([undefined, Buffer.from(form).toString()]).toContain(decoded);
    },
  );
});
