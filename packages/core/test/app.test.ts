/** Promises that hold for every request. */
import { expect, onTestFinished, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { createRelay } from '../../../test/support/bare_relay.ts';
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

/** Whether it ends without anything else having to happen first. */
async function ends(work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void work.then(() => {
    hasEnded = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  return hasEnded;
}

test('closing waits for the submission that is under way, and so does closing twice', async () => {
  const relay = held();
  const answer = relay.handle(request('POST', '/api/v1/submit/contact'));
  await expect.poll(() => relay.waits('http')).toBe(1);
  const closing = [relay.close(), relay.close()];
  expect(await Promise.all(closing.map(ends))).toEqual([false, false]);
  // Another request ends meanwhile.
  expect((await relay.handle(request('GET', '/healthz'))).status).toBe(200);
  expect(await Promise.all(closing.map(ends))).toEqual([false, false]);
  relay.release('http');
  expect((await answer).status).toBe(200);
  await Promise.all(closing);
});

const withMail = `confirmation_mail: {to: email, subject: Thank you, text: It came.}`;

test.each([
  ['follows the answer where the process lives on', true],
  ['goes before the answer where it may not', false],
])('a mail to the visitor %s, and closing waits for it', async (_, livesOn) => {
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

test('HEAD is answered as GET is, without a body, by every runtime', async () => {
  const relay = held();
  onTestFinished(relay.close);
  for (const path of ['/api/v1/form/contact', '/api/v1/form.css', '/healthz', '/nosuch']) {
    const get = await relay.handle(request('GET', path));
    const head = await relay.handle(request('HEAD', path));
    expect([path, head.status, head.body]).toEqual([path, path === '/nosuch' ? 404 : 200, '']);
    expect(get.body).not.toBe('');
  }
});

test('a refused request is in the log as information, and an accepted one is not', async () => {
  const relay = await relayWith({
    config:
      'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}',
  });
  await relay.get('/api/v1/form/contact');
  expect(relay.logged.filter(({ event }) => event === 'refused')).toEqual([]);
  await relay.get('/nosuch');
  expect(relay.logged.filter(({ event }) => event === 'refused')).toEqual([
    expect.objectContaining({ level: 'info', status: 404 }),
  ]);
});

test('a bug in what follows the answer harms nobody, is in the log, and keeps nothing from closing', async () => {
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

test('every page may read an answer without personal data, whatever ALLOWED_ORIGINS says', async () => {
  const { get } = await relayWith({
    config:
      'forms: {contact: {receipt: true, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}',
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

test('an output has a moment, however little time a submission has left', async () => {
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
