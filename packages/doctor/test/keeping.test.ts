import { describe, expect, test } from 'vitest';
import { failed } from '../../../test/support/failed.ts';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import type { Queued, Store } from '../../stores/src/store.ts';
import { examineConfig } from '../src/config_loads.ts';
import { examineEnvironment } from '../src/environment.ts';
import { examineKeeping } from '../src/keeping.ts';
import { examineServers } from '../src/servers.ts';
import { diagnose } from './stage.ts';

const secret = '8b0f3c1d9a7e5f2b4c6d8e0f1a3b5c7d';
const inFolder = 'in: /var/lib/form-relay';
const queue = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
const inQueue = `in: "${queue}"`;

const keeping = (keep: string, more = '') =>
  `${more}keep: {${keep}}\nforms: {contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost/", mapping: "*"}]}}`;

const entry = (id: string, form = 'contact'): Queued => ({
  id,
  form,
  output: { place: 0, of: 1, type: 'http_post', fingerprint: '' },
  receivedAt: 0,
  keptAt: 0,
  tries: 1,
  why: { code: 'timed_out', words: 'no complete answer within 1 ms' },
  content: new Uint8Array(),
});

const lookAt = (config: string, store: Store, writes = false) =>
  diagnose(examineKeeping, config, { openStore: async () => store, writes });

describe('where deliveries wait', () => {
  test('a config that keeps nothing has nothing to look at', async () => {
    const config =
      'forms: {contact: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost/", mapping: "*"}]}}';
    expect(await diagnose(examineKeeping, config)).toEqual([]);
  });

  test('the store is looked at, and nothing is written into it', async () => {
    const store = createMemoryStore(Date.now);
    store.keep = () => Promise.reject(new Error('somebody wrote'));
    expect(await lookAt(keeping(inFolder), store)).toEqual([
      'ok /var/lib/form-relay: is in memory',
      'ok /var/lib/form-relay: nothing waits',
    ]);
  });

  test('with --write, an entry is kept in a folder and forgotten', async () => {
    const store = createMemoryStore(Date.now);
    expect(await lookAt(keeping(inFolder), store, true)).toContain(
      'ok /var/lib/form-relay: kept an entry, and forgot it',
    );
    expect((await store.count()).forms.size).toBe(0);
  });

  test('a retried delivery is fine; one that waits for its owner is reported', async () => {
    const store = createMemoryStore(Date.now);
    await store.keep([entry('a-0'), entry('b-0', 'jobs')], { isMine: false, dueAt: 0, timeoutMs: 1_000 });
    expect((await lookAt(keeping(inFolder), store)).at(-1)).toBe(
      'ok /var/lib/form-relay: 2 deliveries wait and are tried again, the oldest since 1970-01-01T00:00:00.000Z',
    );
    for (const lease of await store.lease(1, 0)) await lease.setAside('refused', lease.kept);
    expect((await lookAt(keeping(inFolder), store)).at(-1)).toBe(
      'warning /var/lib/form-relay: 2 deliveries wait, the oldest since 1970-01-01T00:00:00.000Z; of these, 1 for you -> relay kept list says why; mend it, then run relay kept retry.',
    );
  });

  test('settings that may cost the owner something are warnings', async () => {
    const look = async () => ['is there', { says: 'forgets all after a day', remedy: 'Set it to 14.' }];
    expect(await lookAt(keeping(inQueue), { ...createMemoryStore(Date.now), look })).toEqual([
      `ok ${queue}: is there`,
      `warning ${queue}: forgets all after a day -> Set it to 14.`,
      `ok ${queue}: nothing waits`,
    ]);
  });

  test('a store that cannot be used is a failure, which says what follows', async () => {
    const store = {
      ...createMemoryStore(Date.now),
      look: () => Promise.reject(failed('folder_missing', { path: '/var/lib/form-relay' })),
    };
    expect(await lookAt(keeping(inFolder), store)).toEqual([
      expect.stringMatching(
        /^failure .*there is no folder .*"contact" cannot keep anything.* -> Make the folder/,
      ),
    ]);
  });
});

test.each([
  ['a folder without KEEP_SECRET, which only its user reads', keeping(inFolder), {}, []],
  [
    'a queue without KEEP_SECRET',
    keeping(inQueue),
    {},
    [/^warning KEEP_SECRET: not set; .*as visitors sent it/],
  ],
  ['a queue with it', keeping(inQueue), { KEEP_SECRET: secret }, [/^ok KEEP_SECRET: set; encrypts/]],
  ['one that can be guessed', keeping(inFolder), { KEEP_SECRET: 'secret' }, [/^warning KEEP_SECRET: has 6/]],
])('%s', async (_, config, env, expected) => {
  expect(await diagnose(examineEnvironment, config, { env })).toEqual(
    expected.map((line) => expect.stringMatching(line)),
  );
});

describe('recipients of alerts', () => {
  const alerts = (url: string) =>
    keeping(
      inFolder,
      `alerts: {outputs: [{type: webhook, url: "${url}", headers: {X: '{{ env "HOOK" }}'}}]}\n`,
    );

  test('the outputs of alerts are looked at as those of forms, and are no form', async () => {
    const sink = await startHttpSink({ answer: () => ({ status: 200 }) });
    const config = alerts(sink.origin);
    expect(
      await diagnose(examineServers('http'), config, {
        tryConnect: async () => ({ certificateUntil: undefined }),
      }),
    ).toContain(`ok ${sink.origin}: takes connections; no request was made`);
    expect(await diagnose(examineEnvironment, config)).toEqual([
      'failure HOOK: not set; alerts.outputs[0].headers.X is empty without it -> Set it where the relay runs.',
    ]);
    expect(await diagnose(examineConfig, config)).toEqual(['ok webform.yaml: loads: 1 form, 1 output']);
    await sink.close();
  });
});
