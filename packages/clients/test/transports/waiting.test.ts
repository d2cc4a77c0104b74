import { Waiting } from '../../src/collections.ts';

/** Counts how often a waiter is looked at. */
function waiters() {
  const looks = { count: 0 };
  const make = (id: number) => ({
    id,
    isDone: false,
    get isOver() {
      looks.count += 1;
      return this.isDone;
    },
  });
  return { looks, make };
}

test.each(['first', 'last', 'every other'])(
  '100,000 that leave together are looked at twice each: %s',
  (order) => {
    const { looks, make } = waiters();
    const waiting = new Waiting<ReturnType<typeof make>>();
    const all = Array.from({ length: 100_000 }, (_, id) => make(id));
    for (const one of all) waiting.add(one);
    const half = (rest: number) => all.filter(({ id }) => id % 2 === rest);
    const leavers =
      { first: all, last: all.toReversed(), 'every other': [...half(0), ...half(1)] }[order] ?? [];
    for (const one of leavers) {
      one.isDone = true;
      waiting.left();
    }
    expect(looks.count).toBeLessThan(2 * all.length + 10);
    expect(waiting.next()).toBeUndefined();
  },
);
