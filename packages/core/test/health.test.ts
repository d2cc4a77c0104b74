/** The answers of health checks for load balancers, orchestrators and owners. */

import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contact, relayWith } from '../../../test/spec/stage.ts';
import { failed } from '../../../test/support/failed.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { ok } from '../../base/src/result.ts';

test.each(['/healthz', '/readyz'])('%s by each method', async (path) => {
  const relay = await contact({ fields: '[{name: name}]' });
  const { status, json } = await relay.get(path);
  expect([status, json]).toEqual([200, { message: 'ok' }]);
  const head = await relay.request(path, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  const preflight = await relay.request(path, { method: 'OPTIONS' });
  expect([preflight.status, preflight.text]).toEqual([204, '']);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
  const post = await relay.request(path, { method: 'POST', body: '' });
  expect([post.status, post.json]).toEqual([405, { error: 'use GET' }]);
});

test('without a config the relay is not ready, and says where to read why', async () => {
  const relay = await relayWith({ config: 'forms: [' });
  const { status, json } = await relay.get('/readyz');
  expect([status, json]).toEqual([503, { error: 'no config was loaded yet; the log says why' }]);
});

test('problems of the config and of the queue are both said', async () => {
  const file = {
    text: `
keep: {in: /var/lib/form-relay}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}`,
  };
  const store = {
    ...createMemoryStore(() => 0),
    count: () => Promise.reject(failed('folder_missing', { path: '/x' })),
  };
  const relay = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: {
      readFile: async () => ok({ text: file.text, modifiedAt: 0 }),
      openStore: async () => store,
    },
  });
  const says = async () => (await relay.get('/readyz')).json;
  const away = 'where deliveries are kept does not answer; the log says why';
  await expect.poll(says).toEqual({ message: away });
  file.text = 'forms: [';
  relay.advance(30_000);
  await expect.poll(says).toEqual({
    message: `serving the last good config: the latest could not be loaded; the log says why; ${away}`,
  });
});

const countingEnv = {
  FORM_TOKEN_SECRET: 'not so secret',
  SERVER_KEY: 'frk_0123456789ABCDEFGHIJKLMNOPQRSTUV',
};
const toNobody = 'outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';

describe.each([
  ['that an output writes into', (path: string) => ['', `outputs: [{type: folder, path: ${path}}]`]],
  ['that counts places', (path: string) => [`counted_in: ${path}`, `places: 2, ${toNobody}`]],
  [
    'that knows what servers sent',
    (path: string) => [`counted_in: ${path}`, `keys_env: [SERVER_KEY], ${toNobody}`],
  ],
])('a folder %s', (_, configOf) => {
  const staged = async () => {
    const folder = tempFolder();
    const path = join(folder, 'received');
    const [top, keys] = configOf(path);
    const relay = await relayWith({
      config: `${top}\nforms: {contact: {fields: [{name: name}], ${keys}}}`,
      env: countingEnv,
    });
    const ready = async () => {
      relay.advance(1_000);
      const { status, json } = await relay.get('/readyz');
      return [status, json];
    };
    return { path, relay, ready };
  };

  test('is named at the start when it is missing, and the relay is not ready until it is there', async () => {
    const { path, relay, ready } = await staged();
    const problem = `there is no folder ${path}; make it, or mount what should be there: the relay never makes it`;
    expect(await ready()).toEqual([503, { error: problem }]);
    expect(relay.logged).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'folders_unusable', problems: [problem] }),
    );
    await mkdir(path);
    expect(await ready()).toEqual([200, { message: 'ok' }]);
    // A full folder takes no relay out of service that has other forms.
    await rmdir(path);
    expect(await ready()).toEqual([200, { message: problem }]);
  });
});
