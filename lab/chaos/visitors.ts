/** Everything that comes to a relay in its life: visitors, bots, browsers, htmx, scanners, and what is broken or slow. */
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.ts';
import { submission } from './submission.ts';

/** The status of the answer, or `none` when the connection ended without one. */
export type Answered = number | 'none';

type Visit = (to: Relay) => Promise<Answered>;

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
  (path: string, headers: Record<string, string> = {}): Visit =>
  (relay) =>
    send(relay, { path, headers });
const posting =
  (more: Partial<Request>): Visit =>
  (relay) =>
    post(relay, more);
const bytes =
  (text: string): Visit =>
  (relay) =>
    sendBytes(relay, text);

const head = 'POST /api/v1/submit/posts HTTP/1.1\r\nhost: relay\r\n';
const htmx = { headers: { 'hx-request': 'true' } };
const page = { path: '/api/v1/submit/page', headers: { accept: 'text/html' } };
const note = (length: number) => posting({ body: `note=${'x'.repeat(length)}` });

const visited: readonly (readonly [weight: number, visit: Visit])[] = [
  // A few of a hundred of these are invalid, or bots.
  [500, posting({})],
  [80, posting(htmx)],
  [20, posting({ ...htmx, body: 'note=only' })],
  [20, posting(page)],
  [20, posting({ ...page, body: '' })],
  [20, posting({ headers: { accept: 'application/problem+json' }, body: 'note=' })],
  [20, posting({ path: '/api/v1/submit/timed', body: 'id=1&_ts=forged' })],
  [20, posting({ path: '/api/v1/submit/nowhere' })],
  [60, get('/api/v1/form/posts?note=again')],
  [20, get('/api/v1/form/timed', { 'hx-request': 'true' })],
  [40, get('/api/v1/token/timed')],
  [20, get('/healthz')],
  [20, get('/readyz')],
  [20, get('/.env')],
  [10, (relay) => send(relay, { method: 'OPTIONS', path: '/api/v1/submit/posts' })],
  [10, (relay) => send(relay, { method: 'DELETE', path: '/api/v1/form/posts' })],
  [10, note(60_000)],
  [10, posting({ body: 'a=1&'.repeat(16_000) })],
  [10, note(70_000)],
  [2, note(900_000)],
  [10, posting({ body: 'note=%zz' })],
  [10, posting({ headers: { 'content-type': 'application/json' } })],
  [20, posting({ pauseMs: 1_000 })],
  [20, posting({ leaves: true })],
  [10, bytes('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')],
  [10, bytes(`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)],
  [5, bytes(`${head}x: ${'x'.repeat(20_000)}\r\n\r\n`)],
  // A visitor who stalls is sent away within 15 s.
  [1, bytes(head)],
  [1, bytes(`${head}content-type: ${urlencoded['content-type']}\r\ncontent-length: 50\r\n\r\nid=`)],
  [5, leave],
];
export const visits = visited.map(([weight, go]) => ({ weight, go }));

async function leave({ port }: Relay): Promise<Answered> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await sleep(100 * chance(port));
  socket.destroy();
  return 'none';
}

/** Forms in addition to those of the ledger: for browsers without script, and with a min-fill token. */
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
