/** Forms that are built when they are asked for are a map of forms as any other. */
import { expect, test } from 'vitest';
import { limitUploads } from '../../packages/relay/src/config/forms.ts';
import { FormsWhenAsked } from '../../packages/relay/src/config/late_forms.ts';
import type { Config } from '../../packages/relay/src/config/parse.ts';
import type { Form } from '../../packages/relay/src/form.ts';

/** What is written of each is as long as its name, and those in capitals have ten languages; `most` characters are built at once. */
function staged(most: number, ...ids: string[]) {
  const built: string[] = [];
  const notes = (id: string) => ({ id, origins: [], needed: [], used: new Set<string>() });
  const forms = new FormsWhenAsked(
    new Map(ids.map((id) => [id, { written: id, notes: notes(id) }])),
    (id) => {
      built.push(id);
      const languages = id === id.toLowerCase() ? [] : [...'0123456789'];
      const form = { id, bodyLimit: 10, fields: [] } as Partial<Form> as Form;
      return { ...form, variants: new Map(languages.map((tag) => [tag, { ...form, variants: new Map() }])) };
    },
    most,
  );
  return { forms, built };
}

test('none is built before it is asked for, and then once', () => {
  const { forms, built } = staged(100, 'a', 'b');
  expect([forms.size, [...forms.keys()], forms.has('b'), forms.has('c')]).toEqual([
    2,
    ['a', 'b'],
    true,
    false,
  ]);
  expect(forms.late?.notes.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(forms.get('c')).toBeUndefined();
  expect(built).toEqual([]);
  expect(forms.get('b')).toBe(forms.get('b'));
  expect(built).toEqual(['b']);
});

test('those that were asked for last stay', () => {
  const { forms, built } = staged(3, 'a', 'b', 'c', 'd', 'long name');
  for (const id of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'd']) forms.get(id);
  expect(built).toEqual(['a', 'b', 'c', 'd']);
  forms.get('b');
  expect(built).toEqual(['a', 'b', 'c', 'd', 'b']);
  // One that is longer than all may be is built all the same, and stays until another is asked for.
  for (const id of ['long name', 'long name', 'a', 'a']) forms.get(id);
  expect(built.slice(5)).toEqual(['long name', 'a']);
});

test('one in several languages counts as often', () => {
  const { forms, built } = staged(12, 'a', 'b', 'c', 'D', 'E');
  for (const id of ['a', 'b', 'D', 'a', 'b']) forms.get(id);
  expect(built).toEqual(['a', 'b', 'D']);
  for (const id of ['c', 'a', 'b', 'c']) forms.get(id);
  expect(built).toEqual(['a', 'b', 'D', 'c']);
  for (const id of ['D', 'E', 'E', 'D']) forms.get(id);
  expect(built.slice(4)).toEqual(['D', 'E', 'D']);
});

test('all can be gone through, by whoever wants to', () => {
  const { forms, built } = staged(100, 'a', 'b', 'c');
  const [first] = forms.values();
  expect([first?.id, built]).toEqual(['a', ['a']]);
  expect([...forms].map(([id, form]) => [id, form.id])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ]);
  const seen: unknown[] = [];
  forms.forEach((form, id, all) => void seen.push([id, form === all.get(id), all === forms]));
  expect(seen).toEqual([
    ['a', true, true],
    ['b', true, true],
    ['c', true, true],
  ]);
  expect(built).toEqual(['a', 'b', 'c']);
});

test('what is said of all of them is said of each that is built', () => {
  const { forms, built } = staged(100, 'a', 'b');
  const limited = limitUploads({ forms } as Partial<Config> as Config, 7).forms;
  expect(built).toEqual([]);
  expect([limited.get('b')?.bodyLimit, limited.late?.notes.length, built]).toEqual([7, 2, ['b']]);
});
