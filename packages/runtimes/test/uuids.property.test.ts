import { createUuids } from '../src/services.ts';

test('each is a random UUID, and no two are the same', () => {
  const uuid = createUuids();
  // Several times the number of ids in a batch.
  const uuids = Array.from({ length: 20_000 }, uuid);
  expect(
    uuids.filter((one) => !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(one)),
  ).toEqual([]);
  expect(new Set(uuids).size).toBe(uuids.length);
});

test('two generators never return the same UUID', () => {
  const [one, other] = [createUuids(), createUuids()];
  const ids = Array.from({ length: 1_000 }, () => [one(), other()]).flat();
  expect(new Set(ids).size).toBe(ids.length);
});
