/** Held submissions, which wait until a feature releases them, with a plug-in of examples/plugins. */

import { read } from '../../../test/docs/papers.ts';
import { tempFolder, untilEnd } from '../../../test/support/index.ts';
import { addresses } from '../../../test/support/stores/addresses.ts';
import { placeOf } from '../../../test/support/stores/place.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import type { MakePlugin } from '../../plugin-host/src/kit.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';
import { factsOf } from '../../stored/src/kept/list.ts';
import { openLeases } from '../../stores/src/open_store.ts';
import { tryRelay } from '../../testing/src/try_relay.ts';
import { Incidents } from '../src/monitor.ts';
import { waitingInWords } from '../src/store_status.ts';

const code = read('examples/plugins/approve.mjs');
const imported = async (text = ''): Promise<MakePlugin> =>
  (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default;

const secret = '0123456789abcdef0123456789abcdef';

async function start(folder = tempFolder(), text = code, places = 1, keys: object = {}) {
  const outputs = [1, 2].map(() => ({ type: 'recorded', mapping: '*' }));
  const form = { fields: [{ name: 'name' }], places, approve: true, outputs, ...keys };
  const top = { keep: { in: folder }, counted_in: folder };
  const relay = await untilEnd(
    tryRelay({
      forms: { form },
      plugins: [await imported(text)],
      top,
      env: { FORM_TOKEN_SECRET: secret },
    }),
  );
  const decide = async (query: string) => {
    const line = relay.logged.findLast(({ outcome }) => outcome === 'held');
    const address = `/api/v1/approve/form?id=${line?.request_id}&${query}`;
    return (await relay.fetch(address, { method: 'POST' })).status;
  };
  const submit = async (more: object = {}) => (await relay.submit('form', { name: 'Ada', ...more })).status;
  return { relay, submit, decide };
}

test('all outputs get it once after its release, however many calls release it', async () => {
  const { relay, submit, decide } = await start();
  expect(await submit()).toBe(200);
  expect(relay.delivered).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => decide('')));
  await expect.poll(() => relay.delivered).toEqual([{ name: ['Ada'] }, { name: ['Ada'] }]);
  expect(await decide('')).toBe(404);
  expect(await submit()).toBe(403);
  expect(relay.delivered).toHaveLength(2);
});

test('a dropped submission is removed, and its place is free', async () => {
  const { relay, submit, decide } = await start();
  expect([await submit(), await submit()]).toEqual([200, 403]);
  expect([await decide('drop=1'), await decide('drop=1'), await decide('')]).toEqual([200, 404, 404]);
  expect([await submit(), await submit()]).toEqual([200, 403]);
  expect(relay.delivered).toEqual([]);
});

test.each([
  ['drop=1', 0],
  ['', 40],
])('two relays at once settle many entries that share a file (%s)', async (query, delivered) => {
  const folder = tempFolder();
  const relays = [await start(folder, code, 20), await start(folder, code, 20)] as const;
  const [{ relay, submit }, other] = relays;
  const all = async () => (await Promise.all(Array.from({ length: 20 }, () => submit()))).toSorted();
  expect(await all()).toEqual(Array(20).fill(200));
  const ids = relay.logged.filter(({ outcome }) => outcome === 'held').map(({ request_id }) => request_id);
  const decided = ids.map(async (id, nth) => {
    const by = nth % 2 ? relay : other.relay;
    return (await by.fetch(`/api/v1/approve/form?id=${id}&${query}`, { method: 'POST' })).status;
  });
  expect(await Promise.all(decided)).toEqual(Array(20).fill(200));
  const count = () => relays.reduce((sum, one) => sum + one.relay.delivered.length, 0);
  await expect.poll(count).toBe(delivered);
  expect(await all()).toEqual(Array(20).fill(delivered ? 403 : 200));
});

test('a single-use link stays used while its submission waits, and works again if that is dropped', async () => {
  const { relay, submit, decide } = await start(tempFolder(), code, 5, { links: 'required' });
  const content = { until: Date.now() + 3_600_000, values: new Map(), locked: [], singleUse: 'a' };
  const fill = sealLink(secret, 'form', content, 'b');
  expect([await submit({ fill }), await submit({ fill })]).toEqual([200, 403]);
  expect([await decide('drop=1'), await decide('drop=1')]).toEqual([200, 404]);
  expect([await submit({ fill }), await submit({ fill }), await decide('')]).toEqual([200, 403, 200]);
  await expect.poll(() => relay.delivered).toEqual([{ name: ['Ada'] }, { name: ['Ada'] }]);
  expect(await submit({ fill })).toBe(403);
});

test.each(addresses)('in %s, a held submission is never late, however long it waits', async (_, place) => {
  const address = await place();
  const { relay, submit, decide } = await start(address);
  await submit();
  const never = () => Promise.reject(new Error('no AWS'));
  const store = await untilEnd(
    openLeases(placeOf(address), { env: () => '', now: Date.now, aws: never, forMs: 1 }),
  );
  const counts = await store.leases.count();
  expect(counts.forms.get('form')).toEqual({ due: 0, held: 2, deadLetters: 0, oldestKeptAt: undefined });
  expect(new Incidents().look(counts, Date.now() + 10 * 86_400_000)).toBeUndefined();
  expect(waitingInWords({ at: 0, waiting: counts, problem: undefined })).toBeUndefined();
  for await (const one of store.leases.list()) {
    const { state, next_try_at, kept_at, received_at } = factsOf(one, undefined);
    expect([state, next_try_at, kept_at]).toEqual(['held', null, received_at]);
  }
  expect(await decide('')).toBe(200);
  await expect.poll(() => relay.delivered.length).toBe(2);
});

test('another relay with the same store releases it', async () => {
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

test('a held submission that nothing releases in time becomes a dead letter', async () => {
  const { relay, submit } = await start(tempFolder(), code?.replace('7 * 86_400_000', '1'));
  await submit();
  const aside = () =>
    relay.logged.filter(({ event, aside }) => event === 'kept_delivery' && aside === 'expired');
  await expect.poll(() => aside().length).toBe(2);
  expect(aside()[0]?.reason).toBe(
    'the submission waits for approval, but was neither released nor dropped in time',
  );
  expect(relay.delivered).toEqual([]);
});

test.each([
  ['held', code],
  ['aside', code?.replace('7 * 86_400_000', '1')],
])('the owner drops a submission that is %s, and its place and its link are free', async (state, text) => {
  const folder = tempFolder();
  const { relay, submit } = await start(folder, text, 1, { links: 'optional' });
  const content = { until: Date.now() + 3_600_000, values: new Map(), locked: [], singleUse: 'a' };
  const fill = sealLink(secret, 'form', content, 'b');
  expect([await submit({ fill }), await submit({ fill })]).toEqual([200, 403]);
  const ended = () => relay.logged.filter(({ event }) => event === 'kept_delivery').length;
  await expect.poll(ended).toBe(state === 'held' ? 0 : 2);
  const config = `keep: {in: ${folder}}
counted_in: ${folder}
forms: {form: {fields: [{name: name}], places: 1, links: optional, outputs: [{type: http_post, url: "https://a.example", mapping: "*"}]}}`;
  const terminal = await openTerminal({
    files: { 'webform.yaml': config },
    env: { FORM_TOKEN_SECRET: secret },
  });
  const [first = '', second = ''] = (await terminal.run('relay kept list --json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect((await terminal.run(`relay kept drop ${first}`)).stderr).toBe('');
  expect(await submit()).toBe(403);
  expect(await terminal.run(`relay kept drop ${second}`)).toMatchObject({ code: 0, stderr: '' });
  expect([await submit({ fill }), await submit({ fill })]).toEqual([200, 403]);
  expect(relay.delivered).toEqual([]);
});
