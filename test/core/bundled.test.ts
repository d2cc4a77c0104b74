import { expect, test } from 'vitest';
import { ownedBy } from '../../packages/core/src/config/bundled.ts';
import { bundled } from '../../packages/runtimes/src/bundled.ts';

test('every bundled plug-in owns exactly the keys and types that the list names', async () => {
  const listed = Object.fromEntries(bundled.map(({ name, owns }) => [name, owns.toSorted()]));
  const loaded = await Promise.all(
    bundled.map(async ({ name, load }) => [name, ownedBy(await load()).toSorted()] as const),
  );
  expect(listed).toEqual(Object.fromEntries(loaded));
});
