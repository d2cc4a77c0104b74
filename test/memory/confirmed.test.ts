/** A link that is opened twice delivers once, in bounded memory; what nobody took may be delivered again. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../packages/relay/src/base/outcome.ts';
import { createConfirmed, mostConfirmed } from '../../packages/relay/src/memory/confirmed.ts';

const delivered: Outcome = { kind: 'delivered' };

function staged() {
  const confirmed = createConfirmed();
  let deliveries = 0;
  return {
    open: (key: string, deliver: () => Promise<Outcome> = async () => delivered) =>
      confirmed.once(key, () => {
        deliveries += 1;
        return deliver();
      }),
    get deliveries() {
      return deliveries;
    },
  };
}

test('each link delivers once, and who opens it again learns how that ended', async () => {
  const stage = staged();
  expect(await stage.open('a')).toEqual({ outcome: delivered, isAgain: false });
  expect(await stage.open('a')).toEqual({ outcome: delivered, isAgain: true });
  expect(await stage.open('b')).toEqual({ outcome: delivered, isAgain: false });
  expect(stage.deliveries).toBe(2);
});

test('who opens it while it is being delivered waits for that', async () => {
  const stage = staged();
  let end = (_: Outcome) => {};
  const both = [stage.open('a', () => new Promise((resolve) => (end = resolve))), stage.open('a')];
  end(delivered);
  expect(await Promise.all(both)).toEqual([
    { outcome: delivered, isAgain: false },
    { outcome: delivered, isAgain: true },
  ]);
  expect(stage.deliveries).toBe(1);
});

test.each<[string, Outcome]>([
  ['failed', { kind: 'undelivered' }],
  ['reached nobody', { kind: 'delivered', byNobody: true }],
])('a delivery that %s is tried again', async (_, outcome) => {
  const stage = staged();
  expect(await stage.open('a', async () => outcome)).toEqual({ outcome, isAgain: false });
  expect(await stage.open('a')).toEqual({ outcome: delivered, isAgain: false });
  expect(await stage.open('a')).toEqual({ outcome: delivered, isAgain: true });
});

test('a delivery that breaks is tried again', async () => {
  const stage = staged();
  await expect(stage.open('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await stage.open('a')).toEqual({ outcome: delivered, isAgain: false });
});

test('it remembers so many, and forgets those first that came first', async () => {
  const stage = staged();
  for (let nth = 0; nth < mostConfirmed; nth += 1) await stage.open(`${nth}`);
  expect((await stage.open('0')).isAgain).toBe(true);
  await stage.open('one more');
  expect((await stage.open('1')).isAgain).toBe(true);
  expect((await stage.open('0')).isAgain).toBe(false);
});
