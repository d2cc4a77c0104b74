import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Adapter } from '../../packages/conformance/src/adapter.ts';
import type { Report } from '../../packages/conformance/src/report.ts';
import { listed, measure, type Verdict } from '../../packages/conformance/src/run.ts';
import { breaks } from './breaks.ts';
import { brokenProducts } from './faults.ts';
import { relayProduct } from './relay_product.ts';

/** Those that look at how long a product is patient with somebody. */
const isAboutPatience = (id: string) => /^bodies\/(slow_|silent)/.test(id);

const broken = (verdicts: readonly Verdict[]) => verdicts.filter(({ verdict }) => verdict === 'broken');

test('a sound relay keeps every promise', async () => {
  const verdicts = await measure({ adapter: relayProduct({ isImpatient: true }), concurrency: 12 });
  expect(broken(verdicts)).toEqual([]);
  const open = verdicts.filter(({ verdict }) => verdict === 'not_offered').map(({ id }) => id);
  // It runs in this process, and has no command.
  expect(open.filter((id) => !id.startsWith('cli/'))).toEqual([]);
});

test('every promise is one that some product breaks', () => {
  const ids = Object.values(breaks).flat();
  expect([...new Set(ids)].sort()).toEqual(listed.map(({ id }) => id).sort());
});

test('every promise is a sentence, and no two are the same', () => {
  const sentences = listed.map(({ promise }) => promise.says);
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const says of sentences) expect(says).toMatch(/^[A-Z`].*\.$/s);
});

test('the table of ours says what the suite says, and that all of it is kept', () => {
  const report: Report = JSON.parse(
    readFileSync(new URL('../../packages/conformance/results/form-relay.json', import.meta.url), 'utf8'),
  );
  const told = report.areas.flatMap(({ promises }) =>
    promises.map(({ id, says, verdict }) => [id, says, verdict]),
  );
  expect(told).toEqual(listed.map(({ id, promise }) => [id, promise.says, 'kept']));
});

test('what a product posts as JSON has arrived, too', async () => {
  const adapter = relayProduct({
    post: (request) => {
      const given = new URLSearchParams(request.body);
      const fields = Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name)]));
      return {
        ...request,
        headers: { ...request.headers, 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      };
    },
  });
  const ids = ['submit/unicode', 'submit/nul', 'submit/several_values', 'outputs/urlencoded'];
  const verdicts = await measure({ adapter, only: (id) => ids.includes(id) });
  expect(Object.fromEntries(verdicts.map(({ id, verdict }) => [id, verdict]))).toEqual({
    'submit/unicode': 'kept',
    'submit/nul': 'kept',
    'submit/several_values': 'kept',
    'outputs/urlencoded': 'broken',
  });
});

test('a product that is not there keeps nothing', async () => {
  const sound = relayProduct();
  const gone: Adapter = {
    ...sound,
    start: async (asked) => {
      const { url, stop } = await sound.start(asked);
      await stop();
      return { url, stop: async () => {} };
    },
  };
  const verdicts = await measure({ adapter: gone, patienceMs: 1_000, concurrency: 12 });
  expect(verdicts.filter(({ verdict }) => verdict === 'kept').map(({ id }) => id)).toEqual([]);
});

describe.concurrent('a product that', () => {
  test.each(brokenProducts.map(({ name }) => name))(
    '%s breaks promises',
    { timeout: 60_000 },
    async (name) => {
      const adapter = brokenProducts.find((one) => one.name === name);
      const wanted = breaks[name];
      if (!adapter || !wanted) throw new Error('it has no list of promises');
      const tried = (only: (id: string) => boolean, patienceMs: number) =>
        measure({ adapter, only, patienceMs });
      const isWanted = (id: string) => wanted.includes(id);
      const found = [
        ...(await tried((id) => isWanted(id) && !isAboutPatience(id), 5_000)),
        ...(wanted.some(isAboutPatience)
          ? await tried((id) => isWanted(id) && isAboutPatience(id), 4_000)
          : []),
      ];
      expect(found.filter(({ verdict }) => verdict !== 'broken')).toEqual([]);
      expect(found.map(({ id }) => id).sort()).toEqual([...wanted].sort());
      // Each says what is wrong in one line.
      for (const { evidence } of broken(found)) expect(evidence?.came).toMatch(/^.{1,400}$/);
    },
  );
});
