/** Senders that post submissions, and the result of each. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.ts';
import { type Answer, ask, urlencoded } from './client.ts';
import { counter } from './loop.ts';
import type { Copy, RelayProcess } from './relays.ts';
import { type Kind, submission } from './submission.ts';

/** How a submission ended, as its sender saw it. */
export type Outcome =
  | 'acknowledged'
  | 'answered with an error'
  | 'refused as invalid'
  | 'dropped as a bot'
  | 'cut off by SIGKILL'
  /** On a connection that was closed before the relay read the submission. */
  | 'cut off unread by SIGTERM'
  /** An answer that no sender may get. */
  | 'wrong';

export interface SendersOptions {
  readonly submissions: number;
  readonly seed: number;
  /** How many submissions are under way at once. */
  readonly connections: number;
  /** Called every ten thousand submissions. */
  readonly onProgress?: (sent: number) => void;
  /** Ends the sending early: what was sent until then is judged like a whole run. */
  readonly signal?: AbortSignal;
}

export interface Sent {
  /** By the submission's number. */
  readonly outcomes: readonly Outcome[];
  readonly connectsRefused: number;
  readonly violations: readonly string[];
}

/** Each sender stays with one copy until that goes away, and then tries the next. */
export async function sendAll(copies: readonly Copy[], options: SendersOptions): Promise<Sent> {
  const { submissions, seed, connections, onProgress, signal } = options;
  const violations: string[] = [];
  const outcomes: Outcome[] = [];
  let connectsRefused = 0;
  let next = 0;

  const worker = async (_: unknown, workerNumber: number) => {
    let choice = workerNumber;
    let relay: RelayProcess | undefined;
    let agent = new http.Agent();
    /** To one life of a relay, over connections of its own. */
    const send = (id: number): Promise<Answer> => {
      const copy = copies[choice % copies.length] as Copy;
      if (copy.relay !== relay) {
        agent.destroy();
        agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        relay = copy.relay;
      }
      const pauseMs = chance(seed, id, 5) < 0.05 ? 20 : undefined;
      const { form, body } = submission(seed, id);
      const path = `/api/v1/submit/${form.name}${isPlain(seed, id) ? '?as=page' : ''}`;
      // The address that a proxy would name.
      const headers = { ...urlencoded, 'x-forwarded-for': clientOf(id) };
      return ask({ port: relay.port, agent, path, body, headers, pauseMs, patienceMs });
    };
    while (next < submissions && !signal?.aborted) {
      const id = next;
      next += 1;
      if (id % 10_000 === 0) onProgress?.(id);
      let ending = await send(id);
      while (ending.status === 'refused') {
        connectsRefused += 1;
        choice += 1;
        await sleep(20);
        ending = await send(id);
      }
      const { kind } = submission(seed, id);
      const outcome = judge(kind, ending, relay as unknown as RelayProcess, isPlain(seed, id));
      outcomes[id] = outcome;
      if (outcome === 'wrong') violations.push(`${id} (${kind}) ended with ${JSON.stringify(ending)}`);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return { outcomes, connectsRefused, violations };
}

const patienceMs = 30_000;

/** A form without a script gets pages for answers. */
const isPlain = (seed: number, id: number) => chance(seed, id, 6) < 0.3;

/** An address out of some 65,000. */
const clientOf = (id: number) => `198.18.${(id >> 8) % 256}.${id % 256}`;

const page = /^<!doctype html>.*<\/html>\s*$/is;

/** The outcome of the submission after this ending. */
function judge(
  kind: Kind,
  { status, body, hasBegun }: Answer,
  relay: RelayProcess,
  asPage: boolean,
): Outcome {
  if (status === 'cut' && relay.ending === 'SIGKILL') return 'cut off by SIGKILL';
  // `compare` sees to it that it was not read.
  if (status === 'cut' && relay.ending === 'SIGTERM' && !hasBegun) return 'cut off unread by SIGTERM';
  const success = asPage ? page : /^\{"message":"ok"(,"receipt":"fr1\.[\w.-]+")?\}$/;
  const isSuccess = status === 200 && success.test(body);
  if (isSuccess && kind === 'valid') return 'acknowledged';
  if (isSuccess && kind === 'bot') return 'dropped as a bot';
  const isError = (asPage ? page : /^\{"error":"[^"]+"\}$/).test(body);
  if (isError && status === 422 && kind === 'invalid') return 'refused as invalid';
  const hasFailed = status === 500 || status === 503;
  return isError && hasFailed && kind === 'valid' ? 'answered with an error' : 'wrong';
}

export function tally(outcomes: readonly Outcome[]): Readonly<Partial<Record<Outcome, number>>> {
  const { counts, count } = counter();
  for (const outcome of outcomes) count(outcome);
  return counts;
}
