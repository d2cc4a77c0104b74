/** What a runtime learns of a request before it reads its body: whether it may pass, and how large its body may be. */
import { expect, test } from 'vitest';
import type { RequestHead } from '../../packages/relay/src/base/http.ts';
import { createRelay } from '../../packages/relay/src/index.ts';
import { relayWith } from '../spec/stage.ts';

const mb = 1_048_576;
const output = '{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}';
const config = `forms:
  jobs: {fields: [{name: cv, type: file, accept: [text/plain], max_size: 1MB}], max_body: 3MB, outputs: [${output}]}
  contact: {fields: [{name: name}], outputs: [${output}]}`;

const head = (path: string, type = 'multipart/form-data; boundary=x', method = 'POST'): RequestHead => ({
  method,
  path,
  query: '',
  headers: { 'content-type': type },
});

async function limitsWith(env: Record<string, string> = {}) {
  const { relay } = await relayWith({ config, env });
  const limitOf = (...of: Parameters<typeof head>) => relay.handle.admit?.(head(...of)).bodyLimit;
  return { limitOf, load: () => relay.config.get() };
}

test('a form with files takes as much as it says, and no other path more than a form without', async () => {
  const { limitOf, load } = await limitsWith();
  await load();
  for (const type of [
    'multipart/form-data; boundary=x',
    'Multipart/Form-Data;boundary=x',
    'multipart/form-data',
  ])
    expect([type, limitOf('/api/v1/submit/jobs', type)]).toEqual([type, 3 * mb]);
  expect(limitOf('/api/v1/check/jobs')).toBe(3 * mb);
  for (const path of [
    '/api/v1/submit/contact',
    '/api/v1/submit/nosuch',
    '/api/v1/submit/%ff',
    '/api/v1/submit/',
    '/api/v1/submit',
    '/api/v1/form/jobs',
    '/api/v1/token/jobs',
    '/api/v1/confirm/jobs',
    '/jobs',
  ])
    expect([path, limitOf(path)]).toEqual([path, 65_536]);
});

test('what holds no files has no limit of its own', async () => {
  const { limitOf, load } = await limitsWith();
  await load();
  for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/mixed', ''])
    expect([type, limitOf('/api/v1/submit/jobs', type)]).toEqual([type, undefined]);
});

test.each<[budget: string, most: number]>([
  [String(4 * mb), 4 * mb],
  [String(400 * mb), 10 * mb],
])(
  'before the config is known, a form may take what one of its kind may, with UPLOAD_BUDGET=%s',
  async (budget, most) => {
    const { limitOf } = await limitsWith({ UPLOAD_BUDGET: budget });
    expect(limitOf('/api/v1/submit/contact')).toBe(most);
    expect(limitOf('/api/v1/token/contact')).toBe(65_536);
  },
);

test('a relay without a throttle lets everybody pass, and limits bodies as any other', async () => {
  const relay = createRelay({
    config,
    throttled: false,
    env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1', LOG_LEVEL: 'error' },
  });
  await relay.config.get();
  const admissions = [1, 2, 3].map(() => relay.handle.admit?.(head('/api/v1/submit/jobs')));
  expect(admissions).toEqual(Array(3).fill({ kind: 'admitted', bodyLimit: 3 * mb }));
  await relay.close();
});
