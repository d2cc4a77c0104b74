/** Code that is loaded on first use (packages/base/src/maybe_promise.ts). */
import { lazy } from '../../packages/base/src/maybe_promise.ts';

test('a load that failed, such as for lack of file descriptors, is retried by the next call', async () => {
  let tries = 0;
  const double = lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('EMFILE');
    return (count: number) => count * 2;
  });
  await expect(double(2)).rejects.toThrow('EMFILE');
  expect(await double(2)).toBe(4);
  expect(double(3)).toBe(6);
  expect(tries).toBe(2);
});
