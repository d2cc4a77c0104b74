/** Submissions that wait until a feature releases them, by the plug-in of the manual. */
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf } from '../../../test/docs/papers.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import type { MakePlugin } from '../../plugin-host/src/kit.ts';
import { tryRelay } from '../../testing/src/try_relay.ts';

const code = blocksOf('docs/plugins/features.md').find(({ text }) => text.includes("reads: ['held']"))?.text;
const imported = async (text = ''): Promise<MakePlugin> =>
  (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default;

async function start(folder = tempFolder(), text = code) {
  const outputs = [1, 2].map(() => ({ type: 'recorded', mapping: '*' }));
  const form = { fields: [{ name: 'name' }], places: 1, approve: true, outputs };
  const top = { keep: { in: folder }, counted_in: folder };
  const relay = await tryRelay({ forms: { form }, plugins: [await imported(text)], top });
  onTestFinished(() => relay.close());
  const decide = async (query: string) => {
    const line = relay.logged.find(({ outcome }) => outcome === 'held');
    const address = `/api/v1/approve/form?id=${line?.request_id}&${query}`;
    return (await relay.fetch(address, { method: 'POST' })).status;
  };
  const submit = async () => (await relay.submit('form', { name: 'Ada' })).status;
  return { relay, submit, decide };
}

test('all outputs get it once, after its release, from however many calls', async () => {
  const { relay, submit, decide } = await start();
  expect(await submit()).toBe(200);
  expect(relay.delivered).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => decide('')));
  await expect.poll(() => relay.delivered).toEqual([{ name: ['Ada'] }, { name: ['Ada'] }]);
  expect(await decide('')).toBe(404);
  expect(await submit()).toBe(403);
  expect(relay.delivered).toHaveLength(2);
});

test('what is dropped is gone, and its place is free', async () => {
  const { relay, submit, decide } = await start();
  expect([await submit(), await submit()]).toEqual([200, 403]);
  expect([await decide('drop=1'), await decide('drop=1'), await decide('')]).toEqual([200, 404, 404]);
  expect([await submit(), await submit()]).toEqual([200, 403]);
  expect(relay.delivered).toEqual([]);
});

test('another relay on the store releases it', async () => {
  const folder = tempFolder();
  const first = await start(folder);
  await first.submit();
  await first.relay.close();
  const second = await start(folder);
  const line = first.relay.logged.find(({ outcome }) => outcome === 'held');
  const address = `/api/v1/approve/form?id=${line?.request_id}`;
  expect((await second.relay.fetch(address, { method: 'POST' })).status).toBe(200);
  await expect.poll(() => second.relay.delivered.length).toBe(2);
});

test('what nothing releases in time waits for its owner, undelivered', async () => {
  const { relay, submit } = await start(tempFolder(), code?.replace('7 * 86_400_000', '1'));
  await submit();
  const aside = () =>
    relay.logged.filter(({ event, aside }) => event === 'kept_delivery' && aside === 'expired');
  await expect.poll(() => aside().length).toBe(2);
  expect(aside()[0]?.reason).toBe('it waits for approval, but was neither released nor dropped in time');
  expect(relay.delivered).toEqual([]);
});
