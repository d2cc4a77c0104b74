/** YAML in, values and their places out: compared with JSON, which is also YAML, and with js-yaml's own output. */

import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import type { Path, Place } from '../../schema/src/diagnostics.ts';
import { type Document, readDocument } from '../src/document.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(
    ...['', ' ', '- a', ': ', '{{ a }}', 'a\nb', '\t', '\n'],
    ...'~ null true 1.10 01 << __proto__ # " \' | &a *a !x'.split(' '),
  ),
);
type Value = string | null | Value[] | { [key: string]: Value };
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof({ weight: 5, arbitrary: text }, fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

function read(yaml: string): Document {
  return must(readDocument(yaml));
}

/** Every path in a value, with the value there. */
function* paths(value: Value, path: Path = []): Generator<[Path, Value]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* paths(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** A text between its quotes, from its first visible character on. */
const shown = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/^\s+(?=.)/s, '');

test('JSON reads as the same value, with the place of everything in it', () =>
  holds(50, [value, fc.constantFrom(0, 1, 2)], (value, indent) => {
    const json = JSON.stringify(value, null, indent);
    const document = read(json);
    expect(document.value).toEqual(value);
    const at = ({ offset, length }: Place) => json.slice(offset, offset + length);
    for (const [path, inner] of paths(value)) {
      const key = path.at(-1);
      const keyText = typeof key === 'string' && key !== '' ? shown(key) : undefined;
      if (typeof inner === 'string' && inner !== '')
        expect(at(document.places.of({ path }))).toBe(shown(inner));
      else if (inner === null) expect(at(document.places.of({ path }))).toBe('null');
      else if (inner === '') continue;
      // The place of a list or map is its key, if there is one.
      else if (keyText !== undefined) expect(at(document.places.of({ path }))).toBe(keyText);
      else if (typeof key !== 'string')
        expect(at(document.places.of({ path }))).toBe(Array.isArray(inner) ? '[' : '{');
      if (keyText !== undefined) expect(at(document.places.of({ path, aboutKey: true }))).toBe(keyText);
    }
  }));
