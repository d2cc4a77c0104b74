import fc from 'fast-check';
import { holds, property } from '../../../../../test/support/fuzz.ts';
import {
  documentName,
  folderOf,
  readDocumentPath,
  stemOf,
} from '../../../../more-outputs/src/archive_layout.ts';

const names = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('.', '..', '../..', 'a/b', 'a\\b', '__proto__', '%2E', 'a.json', 'Zürich', ' '),
);
const places = fc.record({
  form: names,
  receivedAt: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
  deliveryId: names,
});

test('a path can be parsed into its parts, and no form’s path leaves the archive', () =>
  holds(50, [places, fc.boolean()], (place, isSealed) => {
    const path = `${folderOf(place)}/${documentName(stemOf(place))}${isSealed ? '.age' : ''}`;
    expect(path.split('/')).toHaveLength(5);
    expect(path).not.toMatch(/(^|\/)\.|\/\/|[^!-~]/);
    expect(readDocumentPath(path)).toEqual({ ...place, isSealed });
  }));

property('paths are in the order of the times', 20, [places, places], ({ form, ...a }, b) => {
  fc.pre(a.receivedAt !== b.receivedAt);
  const pathOf = (place: typeof a) => `${folderOf({ ...place, form })}/${stemOf(place)}`;
  expect(pathOf(a) < pathOf(b)).toBe(a.receivedAt < b.receivedAt);
});

test.each([
  ...['contact/2026/11/21/20261121T051140123Z-a-0.json/1-cv.pdf'],
  ...['contact/2026/11/20/20261121T051140123Z-a-0.json', 'contact/2026/13/21/20261321T051140123Z-a-0.json'],
  ...['contact/2026/11/21/20261121T051140123Z-a-0.json.tmp'],
  ...['contact/2026/11/21/20261121T051140123Z-.json', 'contact/2026/11/21/notes.json'],
  ...['%zz/2026/11/21/20261121T051140123Z-a-0.json', 'a b/2026/11/21/20261121T051140123Z-a-0.json'],
  ...['/2026/11/21/20261121T051140123Z-a-0.json', ''],
])('%s is not the path of a document', (path) => expect(readDocumentPath(path)).toBeUndefined());
