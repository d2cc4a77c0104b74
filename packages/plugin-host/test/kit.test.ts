/** The kit for plug-ins: few names, each with an example that works. */
import { readFileSync } from 'node:fs';
import { plainLocale } from '../../core/src/messages/message.ts';
import { Diagnostics } from '../../schema/src/diagnostics.ts';
import type { Schema } from '../../schema/src/kinds.ts';
import { Template } from '../../schema/src/template.ts';
import { type Kit, sharedKit } from '../src/kit.ts';

const kit = sharedKit();

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Every name, such as `key.text`. */
const names = Object.entries(kit).flatMap(([name, one]) =>
  isGroup(one) ? Object.keys(one).map((member) => `${name}.${member}`) : [name],
);

/** `read` in the examples. */
function read(kind: Schema<unknown>, written: unknown): unknown {
  const at = new Diagnostics();
  const value = kind(written, at);
  expect(at.mistakes).toEqual([]);
  return value;
}

/** `state` in the examples. */
const state = { id: 'f--hue', values: [], classes: {}, attributes: {}, locale: plainLocale({}) };

const run = (code: string): unknown =>
  new Function('kit', 'read', 'state', `return (${code})`)(kit, read, state);

/** The comment above each name, and its examples as code and result. */
const documented = [
  ...readFileSync('packages/plugin-host/src/kit.ts', 'utf8').matchAll(
    /\/\*\*((?:(?!\*\/).)*)\*\/\n {2,4}(\w+)(?=[,:] |,\n)/gs,
  ),
].map(([, comment = '', name = '']) => ({
  name,
  examples: [
    ...comment.replaceAll(/\n \s*\* ?/g, ' ').matchAll(/(?:`` (.+?) ``|`([^`]+)`) is `([^`]+)`/g),
  ].map(([, marked, plain, result = '']) => [marked ?? plain ?? '', result] as const),
}));

test('has at most 60 names', () => expect(names.length).toBeLessThanOrEqual(60));

test('documents each name with an example', () => {
  const withExample = documented.filter(({ examples }) => examples.length > 0).map(({ name }) => name);
  expect(withExample.toSorted()).toEqual(names.map((name) => name.replace(/^.*\./, '')).toSorted());
});

test.each(documented.flatMap(({ examples }) => examples))('%s is %s', (code, result) =>
  expect(run(code)).toEqual(run(result)),
);

test('rejects values that a key cannot have', () => {
  const { key } = kit satisfies Kit;
  const wrong: readonly [Schema<unknown>, unknown][] = [
    [key.url(), 'example.com'],
    [key.address(), 'ada at example.org'],
    [key.whole(), '1.5'],
    [key.secret(), 'written out'],
    [key.secret(), '{{ .fields.name }}'],
  ];
  for (const [kind, written] of wrong) {
    const at = new Diagnostics();
    kind(written, at);
    expect(at.mistakes, String(written)).toHaveLength(1);
  }
  expect(read(key.secret(), '{{ env "KEY" }}')).toBeInstanceOf(Template);
});

test.each([0, 1, 100_000])('opens what it sealed, of any length: %d bytes', (length) => {
  const text = 'a'.repeat(length);
  expect(kit.unseal('one', 'use', kit.seal('one', 'use', text))).toBe(text);
});

test('opens and verifies nothing with a different secret, use or text', () => {
  const sealed = kit.seal('one', 'use', 'Ada');
  expect([kit.unseal('two', 'use', sealed), kit.unseal('one', 'other', sealed)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(kit.seal('one', 'use', 'Ada')).not.toBe(sealed);
  const signature = kit.sign('one', 'use', 'Ada');
  expect([
    kit.verify('two', 'use', 'Ada', signature),
    kit.verify('one', 'other', 'Ada', signature),
    kit.verify('one', 'use', 'Eve', signature),
    kit.verify('one', 'use', 'Ada', ''),
  ]).toEqual([false, false, false, false]);
});
