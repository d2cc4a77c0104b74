/** Everything that comes to a relay in its life: visitors, bots, browsers, htmx, scanners, and what is broken or slow. */
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.ts';
import { submission } from './submission.ts';

/** The status of the answer, or `none` when the connection ended without one. */
export type Answered = number | 'none';

interface Visit {
  readonly weight: number;
  readonly go: (to: Relay) => Promise<Answered>;
}

export interface Relay {
  readonly port: number;
  readonly agent: http.Agent;
  readonly seed: number;
  /** A number that no other visit has. */
  readonly id: number;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Between the two halves of the body. */
  readonly pauseMs?: number;
  /** Goes away before the answer. */
  readonly leaves?: boolean;
}

/** Twice, since a machine that stood still ends one wait at once, before what was answered meanwhile is read. */
const patienceMs = 20_000;

async function giveUp(failure: string): Promise<never> {
  await sleep(patienceMs);
  await sleep(patienceMs);
  throw new Error(failure);
}

function send({ port, agent }: Relay, request: Request): Promise<Answered> {
  const { method = 'GET', path, headers = {}, body = '', pauseMs = 0, leaves = false } = request;
  const answering = new Promise<Answered>((resolve) => {
    const outgoing = http.request({ port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', () => resolve('none'));
    });
    outgoing.on('error', () => resolve('none'));
    outgoing.write(body.slice(0, body.length / 2));
    setTimeout(() => {
      outgoing.end(body.slice(body.length / 2));
      if (leaves) setTimeout(() => outgoing.destroy(), 5);
    }, pauseMs);
  });
  return Promise.race([answering, giveUp(`no answer to ${method} ${path}`)]);
}

/** Bytes on a connection of their own, until the relay ends it. */
function sendBytes({ port }: Relay, bytes: string): Promise<Answered> {
  const ending = new Promise<Answered>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(Number(answer.slice(9, 12)) || 'none'));
    socket.write(bytes, 'latin1');
  });
  return Promise.race([ending, giveUp('a connection that nobody ends')]);
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

function post(relay: Relay, more: Partial<Request> = {}): Promise<Answered> {
  const { form, body } = submission(relay.seed, relay.id);
  return send(relay, {
    method: 'POST',
    path: `/api/v1/submit/${form.name}`,
    body,
    ...more,
    headers: { ...urlencoded, 'content-length': String((more.body ?? body).length), ...more.headers },
  });
}

const get =
  (path: string, headers: Record<string, string> = {}) =>
  (relay: Relay) =>
    send(relay, { path, headers });

const head = 'POST /api/v1/submit/posts HTTP/1.1\r\nhost: relay\r\n';

export const visits: readonly Visit[] = [
  // A few of a hundred of these are invalid, or bots.
  { weight: 500, go: (relay) => post(relay) },
  { weight: 80, go: (relay) => post(relay, { headers: { 'hx-request': 'true' } }) },
  { weight: 20, go: (relay) => post(relay, { headers: { 'hx-request': 'true' }, body: 'note=only' }) },
  {
    weight: 20,
    go: (relay) => post(relay, { path: '/api/v1/submit/page', headers: { accept: 'text/html' } }),
  },
  {
    weight: 20,
    go: (relay) => post(relay, { path: '/api/v1/submit/page', headers: { accept: 'text/html' }, body: '' }),
  },
  {
    weight: 20,
    go: (relay) => post(relay, { headers: { accept: 'application/problem+json' }, body: 'note=' }),
  },
  { weight: 20, go: (relay) => post(relay, { path: '/api/v1/submit/timed', body: 'id=1&_ts=forged' }) },
  { weight: 20, go: (relay) => post(relay, { path: '/api/v1/submit/nowhere' }) },
  { weight: 60, go: get('/api/v1/form/posts?note=again') },
  { weight: 20, go: get('/api/v1/form/timed', { 'hx-request': 'true' }) },
  { weight: 40, go: get('/api/v1/token/timed') },
  { weight: 20, go: get('/healthz') },
  { weight: 20, go: get('/readyz') },
  { weight: 20, go: get('/.env') },
  {
    weight: 10,
    go: (relay) =>
      send(relay, {
        method: 'OPTIONS',
        path: '/api/v1/submit/posts',
        headers: { origin: 'https://a.example' },
      }),
  },
  { weight: 10, go: (relay) => send(relay, { method: 'DELETE', path: '/api/v1/form/posts' }) },
  { weight: 10, go: (relay) => post(relay, { body: `note=${'x'.repeat(60_000)}` }) },
  { weight: 10, go: (relay) => post(relay, { body: 'a=1&'.repeat(16_000) }) },
  { weight: 10, go: (relay) => post(relay, { body: `note=${'x'.repeat(70_000)}` }) },
  { weight: 2, go: (relay) => post(relay, { body: `note=${'x'.repeat(900_000)}` }) },
  { weight: 10, go: (relay) => post(relay, { body: 'note=%zz' }) },
  { weight: 10, go: (relay) => post(relay, { headers: { 'content-type': 'application/json' } }) },
  { weight: 20, go: (relay) => post(relay, { pauseMs: 1_000 }) },
  { weight: 20, go: (relay) => post(relay, { leaves: true }) },
  { weight: 10, go: (relay) => sendBytes(relay, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03') },
  {
    weight: 10,
    go: (relay) =>
      sendBytes(relay, `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  { weight: 5, go: (relay) => sendBytes(relay, `${head}x: ${'x'.repeat(20_000)}\r\n\r\n`) },
  // Whoever stalls is sent away within 15 s.
  { weight: 1, go: (relay) => sendBytes(relay, head) },
  {
    weight: 1,
    go: (relay) =>
      sendBytes(
        relay,
        `${head}content-type: application/x-www-form-urlencoded\r\ncontent-length: 50\r\n\r\nid=`,
      ),
  },
  {
    weight: 5,
    go: async ({ port }) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await sleep(100 * chance(port));
      socket.destroy();
      return 'none';
    },
  },
];

/** Forms beside those of the ledger: for browsers without script, and with a min-fill token. */
export const moreForms = (port: number): string => `
  page:
    redirect: https://www.example.com/thanks
    fields: [{name: id, required: true}, {name: note, type: textarea}]
    outputs: [{type: http_post, url: "http://127.0.0.1:${port}/page", mapping: "*", timeout: 2s, headers: {X-Submission: "{{ .fields.id }}"}}]
  timed:
    spam: {min_fill_seconds: 2}
    fields: [{name: id, required: true, pattern: "[0-9]+"}]
    outputs: [{type: http_post, url: "http://127.0.0.1:${port}/timed", mapping: "*", timeout: 2s}]
`;
