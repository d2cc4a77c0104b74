import { expect, test } from 'vitest';
import type { Plugin } from '../../core/src/plugin.ts';
import { bundled } from '../../runtimes/src/bundled.ts';
import { type Properties, present } from '../../schema/src/kinds.ts';

test('every bundled plug-in owns exactly the keys and types that the list names', async () => {
  const listed = Object.fromEntries(bundled.map(({ name, owns }) => [name, owns.toSorted()]));
  const loaded = await Promise.all(
    bundled.map(async ({ name, load }) => [name, ownedBy(await load()).toSorted()] as const),
  );
  expect(listed).toEqual(Object.fromEntries(loaded));
});

/** The keys and types of a plug-in, as `BundledPlugin.owns` lists them. */
const ownedBy = ({
  fields = [],
  outputs = [],
  features = [],
  fieldExtensions = [],
  outputExtensions = [],
}: Plugin): readonly string[] => [
  ...new Set([
    ...fields.map(({ type }) => `fieldType ${type}`),
    ...outputs.map(({ type }) => `outputType ${type}`),
    ...features.flatMap(({ keys = {} }) => [
      ...namesOf(keys.form).map((key) => `form ${key}`),
      ...namesOf({ ...keys.spam, ...keys.sharedSpam }).map((key) => `spam ${key}`),
      ...namesOf(keys.sharedSpam).map((key) => `topSpam ${key}`),
      ...namesOf(keys.top).map((key) => `top ${key}`),
    ]),
    ...fieldExtensions.flatMap(({ keys, types = [] }) =>
      Object.keys(keys).map((key) => ['field', key, ...types].join(' ')),
    ),
    ...outputExtensions.flatMap(({ keys, types = [] }) =>
      Object.keys(keys).map((key) => ['output', key, ...types].join(' ')),
    ),
  ]),
];

const namesOf = (keys: Properties = {}) => Object.keys(present(keys));
