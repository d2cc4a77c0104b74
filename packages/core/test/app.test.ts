/** Guarantees that hold for every request. */

import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRelay } from '../../../test/support/bare_relay.ts';
import { failed } from '../../../test/support/failed.ts';
import { contact, expectLogged, relayWith, tempFolder } from '../../../test/support/index.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import { ok } from '../../base/src/result.ts';
import { createLog } from '../../runtimes/src/log.ts';
import type { RelayRequest } from '../src/http/request.ts';

const request = (method: string, path: string, more: Partial<RelayRequest> = {}): RelayRequest => ({
  method,
  path,
  query: '',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(method === 'POST' ? 'email=ada%40example.org' : ''),
  ...more,
});

/** A relay whose deliveries and mails end on command. */
function held(form = '', options: Parameters<typeof createRelay>[0] = {}) {
  const waiting = new Map<string, (() => void)[]>([
    ['http', []],
    ['mail', []],
  ]);
  const wait = (what: string) => new Promise<void>((resolve) => void waiting.get(what)?.push(resolve));
  const logged: string[] = [];
  const relay = createRelay({
    config: `forms:
  contact:
    fields: [{name: email, type: email}, {name: kind, type: select, options: [usual, never]}]
    outputs:
      - {type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, to: owner@example.com, from: forms@example.com, when: {field: kind, is: never}}
    ${form}`,
    ...options,
    env: {},
    effects: {
      http: async () => {
        await wait('http');
        return { status: 200, headers: {}, body: '' };
      },
      smtp: () => wait('mail'),
      log: (_, event) => void logged.push(event),
      ...options.effects,
    },
  });
  return {
    ...relay,
    logged,
    waits: (what: string) => waiting.get(what)?.length ?? 0,
    release: (what: string) => {
      for (const go of waiting.get(what)?.splice(0) ?? []) go();
    },
  };
}

/** Whether the work ends without waiting for anything else. */
async function ends(work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void work.then(() => {
    hasEnded = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  return hasEnded;
}

test('closing waits for the submission in progress, even if called twice', async () => {
  const relay = held();
  const answer = relay.handle(request('POST', '/api/v1/submit/contact'));
  await expect.poll(() => relay.waits('http')).toBe(1);
  const closing = [relay.close(), relay.close()];
  expect(await Promise.all(closing.map(ends))).toEqual([false, false]);
  // Another request ends in the meantime.
  expect((await relay.handle(request('GET', '/healthz'))).status).toBe(200);
  expect(await Promise.all(closing.map(ends))).toEqual([false, false]);
  relay.release('http');
  expect((await answer).status).toBe(200);
  await Promise.all(closing);
});

const withMail = `confirmation_mail: {to: email, subject: Thank you, text: It came.}`;

test.each([
  ['follows the response if the process continues', true],
  ['is sent before the response if the process may end', false],
])('a mail to the visitor %s, and closing waits for the mail', async (_, livesOn) => {
  const relay = held(withMail);
  const answer = relay.handle(request('POST', '/api/v1/submit/contact', { livesOn }));
  await expect.poll(() => relay.waits('http')).toBe(1);
  relay.release('http');
  await expect.poll(() => relay.waits('mail')).toBe(1);
  expect(await ends(answer)).toBe(livesOn);
  const closing = relay.close();
  expect(await ends(closing)).toBe(false);
  relay.release('mail');
  expect((await answer).status).toBe(200);
  await closing;
  expect(relay.logged).not.toContain('internal_error');
});

test('every runtime responds to HEAD as to GET, without a body', async () => {
  const relay = held();
  onTestFinished(relay.close);
  for (const path of ['/api/v1/form/contact', '/api/v1/form.css', '/healthz', '/nosuch']) {
    const get = await relay.handle(request('GET', path));
    const head = await relay.handle(request('HEAD', path));
    expect([path, head.status, head.body]).toEqual([path, path === '/nosuch' ? 404 : 200, '']);
    expect(get.body).not.toBe('');
  }
});

test('a refused request is logged at level info, and an accepted one is not logged', async () => {
  const relay = await contact({});
  await relay.get('/api/v1/form/contact');
  expect(relay.logged.filter(({ event }) => event === 'refused')).toEqual([]);
  await relay.get('/nosuch');
  expect(relay.logged.filter(({ event }) => event === 'refused')).toEqual([
    expect.objectContaining({ level: 'info', status: 404 }),
  ]);
});

test('a bug in work after the response affects no client, is logged, and does not block closing', async () => {
  const lines: (readonly [level: string, event: string, fields?: object])[] = [];
  const relay = held(withMail, {
    effects: {
      http: async () => ({ status: 200, headers: {}, body: '' }),
      smtp: async () => {
        throw new Error('a bug');
      },
      log: (...line) => void lines.push(line),
    },
  });
  const answer = await relay.handle(request('POST', '/api/v1/submit/contact', { livesOn: true, id: 'one' }));
  expect(answer.status).toBe(200);
  await relay.close();
  expect(lines.filter(([level]) => level === 'error')).toEqual([
    ['error', expect.any(String), expect.objectContaining({ stack: expect.arrayContaining(['Error']) })],
  ]);
});

test('every page may read a response without personal data, whatever ALLOWED_ORIGINS says', async () => {
  const { get } = await contact({
    keys: 'receipt: true',
    env: {
      ALLOWED_ORIGINS: 'https://a.example',
      RECEIPT_SECRET: 'a-secret-of-at-least-32-characters-0123456789',
    },
  });
  await get('/readyz');
  const allowed = async (path: string) =>
    (await get(path, { origin: 'https://b.example' })).headers.get('access-control-allow-origin');
  expect(await allowed('/api/v1/receipts.json')).toBe('*');
  expect(await allowed('/api/v1/form.css')).toBe('*');
  expect(await allowed('/api/v1/form/contact')).not.toBe('*');
});

test('an output gets a minimum of time, however little a submission has left', async () => {
  const timeouts: number[] = [];
  const http = async ({ timeoutMs }: { readonly timeoutMs: number }) => {
    timeouts.push(timeoutMs);
    return { status: 200, headers: {}, body: '' };
  };
  const { handle, close } = held('', { effects: { http } });
  await handle(request('POST', '/api/v1/submit/contact', { timeLeftMs: 500 }));
  await close();
  expect(timeouts).toEqual([1]);
});

/** The responses of health checks for load balancers, orchestrators and owners. */

test.each(['/healthz', '/readyz'])('%s with each method', async (path) => {
  const relay = await contact({});
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

test('without a config the relay is not ready, and says where the reason is', async () => {
  const relay = await relayWith({ config: 'forms: [' });
  const { status, json } = await relay.get('/readyz');
  expect([status, json]).toEqual([503, { error: 'no config is loaded yet; see the log' }]);
});

test('problems of the config and of the queue are both reported', async () => {
  const file = {
    text: `
keep: {in: /var/lib/form-relay}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}`,
  };
  const store = createMemoryStore(() => 0, {
    count: () => Promise.reject(failed('folder_missing', { path: '/x' })),
  });
  const relay = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: { readFile: async () => ok({ text: file.text, modifiedAt: 0 }), openStore: async () => store },
  });
  const says = async () => (await relay.get('/readyz')).json;
  const away = 'the store of kept deliveries does not respond; see the log';
  await expect.poll(says).toEqual({ message: away });
  file.text = 'forms: [';
  relay.advance(30_000);
  await expect.poll(says).toEqual({
    message: `serving the last good config: the latest could not be loaded; see the log; ${away}`,
  });
});

const countingEnv = {
  FORM_TOKEN_SECRET: 'not so secret',
  SERVER_KEY: 'frk_0123456789ABCDEFGHIJKLMNOPQRSTUV',
};
const toNobody = 'outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';

describe.each([
  ['that an output writes into', (path: string) => ['', `outputs: [{type: folder, path: ${path}}]`]],
  ['in which places are counted', (path: string) => [`counted_in: ${path}`, `places: 2, ${toNobody}`]],
  [
    'that stores the ids of servers’ submissions',
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

  test('is reported at the start if it is missing, and the relay is not ready until it exists', async () => {
    const { path, relay, ready } = await staged();
    const problem = `there is no folder ${path}; create it, or mount the volume: the relay does not create it`;
    expect(await ready()).toEqual([503, { error: problem }]);
    expectLogged(relay, { level: 'error', event: 'folders_unusable', problems: [problem] });
    await mkdir(path);
    expect(await ready()).toEqual([200, { message: 'ok' }]);
    // A full folder must not take down a relay that has other forms.
    await rmdir(path);
    expect(await ready()).toEqual([200, { message: problem }]);
  });
});

test('a slow reader that never stops gets every line', () => {
  vi.useFakeTimers();
  let read = '';
  // Accepts a part, then nothing until the next event, so it never accepts a whole text.
  let room = 0;
  const write = (bytes: Buffer) => {
    const taken = Math.min(room, bytes.length - 1);
    room = 0;
    read += bytes.toString('latin1', 0, taken);
    return taken;
  };
  const { log, lost } = createLog(() => 0, 'info', write);
  const text = 'x'.repeat(50_000);
  for (let line = 0; line < 60; line += 1) {
    log('info', 'told', { line, text });
    room = 60_000;
    vi.advanceTimersByTime(100);
  }
  vi.useRealTimers();
  expect(lost()).toBe(0);
  expect(read.match(/"line":\d+/g)?.length).toBeGreaterThanOrEqual(59);
});
