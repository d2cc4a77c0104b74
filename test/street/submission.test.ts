/** What is told of a submission, for how long it may be under way, and what its form's checks leave to each other. */
import { expect, onTestFinished, test } from 'vitest';
import { failed } from '../../packages/relay/src/base/client_error.ts';
import type { HttpAnswer, HttpRequest } from '../../packages/relay/src/base/effects.ts';
import type { StreetEvent } from '../../packages/relay/src/base/event.ts';
import { createRelay, type RelayRequest } from '../../packages/relay/src/index.ts';
import { createMemoryStore } from '../../packages/relay/src/keeping/stores/memory.ts';
import { contact } from '../spec/stage.ts';
import { multipartType, upload } from '../support/uploads.ts';

const post = '{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", retries: 1, timeout: 25s}';

interface Stage {
  /** Of the form, in YAML. */
  readonly form?: string;
  readonly outputs?: string;
  readonly http?: (request: HttpRequest, nth: number) => HttpAnswer;
}

/** A relay with a clock that moves while something is delivered: by 7 ms each time. */
function staged({ form = '', outputs = post, http = () => ok }: Stage = {}) {
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const about: unknown[] = [];
  const events: StreetEvent[] = [];
  const posted: HttpRequest[] = [];
  const store = createMemoryStore(() => clock.ms);
  const stored: string[] = [];
  const relay = createRelay({
    config: `
keep: {in: /var/lib/form-relay}
forms: {contact: {fields: [{name: name}], outputs: [${outputs}]${form === '' ? '' : `, ${form}`}}}`,
    env: {},
    observe: (submission) => {
      about.push(submission);
      return (event) => void events.push(event);
    },
    effects: {
      now: () => clock.ms,
      sleep: async (ms) => {
        clock.ms += ms;
      },
      http: async (request) => {
        posted.push(request);
        clock.ms += 7;
        return http(request, posted.length);
      },
      openStore: async () =>
        new Proxy(store, {
          get: (target, name, receiver) => {
            stored.push(String(name));
            return Reflect.get(target, name, receiver);
          },
        }),
      repeat: () => () => {},
      log: () => {},
    },
  });
  onTestFinished(relay.close);
  const send = (body = 'name=Ada&other=x', more: Partial<RelayRequest> = {}) =>
    relay.handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body),
      ...more,
    });
  return { relay, about, events, posted, stored, send };
}

const ok: HttpAnswer = { status: 200, headers: {}, body: '' };

const withoutChecks = (events: readonly StreetEvent[]) => events.filter(({ kind }) => kind !== 'checked');

test('whoever observes hears what came, of each try, and how long it took', async () => {
  const { send, events } = staged({ http: (_, nth) => ({ ...ok, status: nth === 1 ? 503 : 200 }) });
  expect((await send()).status).toBe(200);
  expect(withoutChecks(events)).toMatchObject([
    { kind: 'received' },
    { kind: 'delivery_tried', output: 0, type: 'http_post', attempt: 1, message: expect.any(Object) },
    { kind: 'delivery_retried', output: 0, type: 'http_post', ms: 7 },
    { kind: 'delivery_tried', attempt: 2 },
    {
      kind: 'delivered',
      output: 0,
      type: 'http_post',
      attempts: 2,
      payload: [['name', ['Ada']]],
    },
    { kind: 'answered', outcome: { kind: 'delivered' } },
  ]);
  const [received] = events;
  expect(received?.kind === 'received' && [...received.values.keys()]).toEqual(['name', 'other']);
  const took = events.flatMap((event) => ('ms' in event ? event.ms : []));
  expect(took).toEqual([7, took[1], took[1]]);
  expect(took[1]).toBeGreaterThanOrEqual(14);
  expect(took[1]).toBeLessThan(60_000);
});

test('a submission waits for its outputs alone', async () => {
  const { send, posted, events } = staged({
    form: 'spam: {honeypot: website}, page: true, keep: failed, confirmation: Thanks.',
    outputs: `${post}, ${post}`,
  });
  // The config comes with the first.
  await send();
  events.length = 0;
  const delivered = send();
  expect(posted).toHaveLength(4);
  const dropped = send('name=Ada&website=x');
  const refused = send('name=%');
  const endings = events.flatMap((event) => (event.kind === 'answered' ? event.outcome.kind : []));
  expect(endings).toEqual(['dropped', 'bad_request']);
  const answers = await Promise.all([delivered, dropped, refused]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
});

test('a delivery that fails is told with its time, and a bug as one', async () => {
  const { send, events } = staged({
    outputs: post.replace('retries: 1', 'retries: 0'),
    http: () => {
      throw new TypeError('a bug');
    },
  });
  expect((await send()).status).toBe(500);
  expect(withoutChecks(events).slice(2)).toMatchObject([
    { kind: 'broken', error: { message: 'a bug' } },
    { kind: 'delivery_failed', error: 'internal_error', attempts: 1, ms: 7 },
    { kind: 'answered', outcome: { kind: 'undelivered' }, ms: 7 },
  ]);
  expect(events.find(({ kind }) => kind === 'delivery_failed')).not.toHaveProperty('isKept');
});

test('a type of output that nobody knows fails alone, with nothing sent', async () => {
  const { send, events, posted } = staged({ outputs: `{type: carrier_pigeon}, ${post}` });
  expect((await send()).status).toBe(500);
  expect(posted).toHaveLength(1);
  expect(events.find(({ kind }) => kind === 'delivery_failed')).toMatchObject({
    type: 'carrier_pigeon',
    error: 'unregistered_type',
    onError: 'fail',
    payload: [],
    attempts: 0,
  });
});

test('a submission has 24 seconds, or a second less than its process has', async () => {
  const { send, posted } = staged();
  await send();
  await send(undefined, { timeLeftMs: 3_000 });
  await send(undefined, { timeLeftMs: 300_000 });
  expect(posted.map(({ timeoutMs }) => timeoutMs)).toEqual([24_000, 2_000, 24_000]);
});

test('who asked for what is told where no form has that name', async () => {
  const { send, about } = staged();
  await send(undefined, { path: '/api/v1/submit/nosuch' });
  await send(undefined, { path: '/api/v1/submit/%ff' });
  await send();
  expect(about).toMatchObject([
    { formId: undefined, asked: 'nosuch' },
    { formId: undefined, asked: '' },
    { formId: 'contact', asked: 'contact' },
  ]);
});

test.each([
  ['Ada', 'rejected_as_spam'],
  ['rejected_as_spam', undefined],
  ['so; rejected_as_spam, ok', undefined],
  ['rejected_as_spammer', 'rejected_as_spam'],
])('what a service says is told, unless it is what a visitor wrote: %s', async (wrote, code) => {
  const { send, events } = staged({
    outputs: post.replace('retries: 1', 'retries: 0'),
    http: () => {
      throw failed('service_refused', { code: 'rejected_as_spam' });
    },
  });
  await send(new URLSearchParams({ name: wrote, other: 'x' }).toString());
  expect(events.find(({ kind }) => kind === 'delivery_failed')).toMatchObject({
    error: { code: 'service_refused', params: { code } },
  });
});

test('what every output took is kept nowhere', async () => {
  const { send, events, stored } = staged({ form: 'keep: failed' });
  expect((await send()).status).toBe(200);
  expect(events.at(-1)).toMatchObject({ kind: 'answered', outcome: { kind: 'delivered' } });
  expect(stored.filter((name) => /put|add|keep/.test(name))).toEqual([]);
});

test('what one of two outputs owes is kept, though the other may fail', async () => {
  const { send, events } = staged({
    form: 'keep: failed',
    outputs: `${post.replace('retries: 1', 'retries: 0')}, ${post.replace('retries: 1', 'retries: 0, on_error: continue')}`,
    http: () => ({ ...ok, status: 503 }),
  });
  expect((await send()).status).toBe(200);
  expect(events.at(-1)).toMatchObject({ kind: 'answered', outcome: { kind: 'delivered', isKept: true } });
  const failures = events.filter(({ kind }) => kind === 'delivery_failed');
  expect(failures).toMatchObject([{ isKept: true }, { isKept: true }]);
  expect(events.filter(({ kind }) => kind === 'delivery_kept')).toMatchObject([
    { output: 0, type: 'http_post' },
    { output: 1, type: 'http_post' },
  ]);
});

test('a store that breaks leaves the submission undelivered, and says so', async () => {
  const events: StreetEvent[] = [];
  const relay = createRelay({
    config: `
keep: {in: /var/lib/form-relay}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [${post.replace('retries: 1', 'retries: 0')}]}}`,
    env: {},
    observe: () => (event) => void events.push(event),
    effects: {
      http: async () => ({ ...ok, status: 503 }),
      openStore: () => Promise.reject(new TypeError('a bug')),
      repeat: () => () => {},
      log: () => {},
    },
  });
  onTestFinished(relay.close);
  const answer = await relay.handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada'),
  });
  expect(answer.status).toBe(500);
  expect(events.find(({ kind }) => kind === 'keep_failed')).toMatchObject({ outputs: [0] });
});

test('one gate leaves the next to look, too: a page among the origins may not send without end', async () => {
  const relay = await contact({
    fields: '[{name: name}]',
    outputs:
      '[{type: http_post, url: $sink, mapping: "*"}], origins: [https://a.example], rate_limit: 1 per 10m',
  });
  const headers = { origin: 'https://a.example' };
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(200);
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(429);
});

test('a page that shows a form again asks for the files that browsers forget, where there were any', async () => {
  const relay = await contact({
    fields:
      '[{name: name}, {name: cv, type: file, accept: [text/plain]}, {name: email, type: email, required: true}]',
  });
  const again = async (init: RequestInit) => {
    const headers = { accept: 'text/html', ...init.headers };
    const answer = await relay.request('/api/v1/submit/contact?as=page', {
      method: 'POST',
      ...init,
      headers,
    });
    expect(answer.status).toBe(422);
    return answer.text;
  };
  const forgotten = 'Please choose the file again';
  const body = upload(100);
  expect(await again({ headers: { 'content-type': multipartType }, body })).toContain(forgotten);
  expect(await again({ body: new URLSearchParams({ name: 'Ann' }) })).not.toContain(forgotten);
});

test.each([
  ['delivers after the answer where the process lives on', true, 1],
  ['leaves it to whoever tries later where the process may end', false, 0],
])('`keep: always` keeps before anything is sent, and %s', async (_, livesOn, sent) => {
  const { relay, send, events, posted } = staged({ form: 'keep: always' });
  expect((await send('name=Ada', { livesOn })).status).toBe(200);
  expect(withoutChecks(events).slice(0, 3)).toMatchObject([
    { kind: 'received' },
    { kind: 'delivery_kept', output: 0, type: 'http_post' },
    { kind: 'answered', outcome: { kind: 'delivered', isKept: true } },
  ]);
  await relay.close();
  expect(posted).toHaveLength(sent);
});

test('each gate is told, and whether it was passed', async () => {
  const { send, events } = staged({ form: 'origins: [https://a.example], rate_limit: 1 per 10m' });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://a.example',
  };
  const peerAddress = '192.0.2.1';
  expect((await send('name=Ada', { headers, peerAddress })).status).toBe(200);
  expect((await send('name=Ada', { headers, peerAddress })).status).toBe(429);
  const passed = events.flatMap((event) => (event.kind === 'checked' ? [event.passed] : []));
  expect(passed.slice(0, 2)).toEqual([true, true]);
  expect(passed.slice(-2)).toEqual([true, false]);
});

test('an effect of the owner that returns no promise has delivered', async () => {
  const logged: string[] = [];
  const output = '{type: smtp, host: localhost, from: a@example.com, to: b@example.com, mapping: "*"}';
  const { handle } = createRelay({
    config: `forms: {contact: {fields: [{name: name}], outputs: [${output}]}}`,
    env: {},
    effects: { smtp: (() => undefined) as never, log: (_, event) => void logged.push(event) },
  });
  const answer = await handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada'),
  });
  expect(answer.status).toBe(200);
  expect(logged).not.toContain('internal_error');
});
