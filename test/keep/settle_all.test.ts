import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Claim } from '../../packages/relay/src/base/kept.ts';
import { settleAll } from '../../packages/stored/src/kept/settle.ts';

test('a store that fails in the middle is told when what was begun has ended', async () => {
  async function* claims() {
    yield {} as Claim;
    throw new Error('the store is away');
  }
  let isSettled = false;
  const settle = async () => {
    await sleep(20);
    isSettled = true;
  };
  await expect(settleAll(claims(), settle)).rejects.toThrow('the store is away');
  expect(isSettled).toBe(true);
});
