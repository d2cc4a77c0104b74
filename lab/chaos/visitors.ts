/** Everything that reaches a relay: visitors, bots, browsers, htmx, scanners, broken and slow clients. */
import type { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readYaml } from '../../scripts/data.ts';
import { chance } from './chance.ts';
import { ask, urlencoded } from './client.ts';
import { submission } from './submission.ts';

/** The status of the answer, or `none` if the connection ended without one. */
export type Answered = number | 'none';

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly pauseMs?: number;
  readonly leaves?: boolean;
}

/** See visits.yaml. */
interface Visit {
  readonly weight: number;
  readonly post?: Request;
  readonly note?: number;
  readonly pairs?: number;
  readonly get?: Request;
  readonly bytes?: string;
}

export const visits = readYaml<readonly Visit[]>(new URL('visits.yaml', import.meta.url), {
  LONG: 'x'.repeat(20_000),
});

export interface Relay {
  readonly port: number;
  readonly agent: Agent;
  readonly seed: number;
  /** A unique number. */
  readonly id: number;
}

export function pay({ post, note, pairs, get, bytes }: Visit, relay: Relay): Promise<Answered> {
  if (note !== undefined) return submit(relay, { body: `note=${'x'.repeat(note)}` });
  if (pairs !== undefined) return submit(relay, { body: 'a=1&'.repeat(pairs) });
  if (post) return submit(relay, post);
  if (get) return send(relay, get);
  return bytes === undefined ? leave(relay) : sendBytes(relay, bytes);
}

async function send({ port, agent }: Relay, { path = '/', ...request }: Request): Promise<Answered> {
  const { status } = await ask({ port, agent, path, ...request });
  if (status === 'silence') throw new Error(`no answer to ${request.method ?? 'GET'} ${path}`);
  return typeof status === 'number' ? status : 'none';
}

function submit(relay: Relay, { headers, ...more }: Request): Promise<Answered> {
  const { form, body } = submission(relay.seed, relay.id);
  const path = `/api/v1/submit/${form.name}`;
  return send(relay, {
    method: 'POST',
    path,
    body,
    pauseMs: 0,
    ...more,
    headers: { ...urlencoded, ...headers },
  });
}

/** Sends bytes on a new connection until the relay closes it. */
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
  const late = sleep(40_000).then(() => Promise.reject(new Error('a connection that nobody ends')));
  return Promise.race([ending, late]);
}

async function leave({ port }: Relay): Promise<Answered> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await sleep(100 * chance(port));
  socket.destroy();
  return 'none';
}
