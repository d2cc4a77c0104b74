/** Senders that post submissions, and the result of each. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.ts';
import { type Answer, type Asked, ask, urlencoded } from './client.ts';
import { counter, eachNumber, type RunOptions } from './loop.ts';
import type { Copy, RelayProcess } from './relays.ts';
import { type Kind, submission } from './submission.ts';

/** How a submission ended from its sender's point of view. */
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

export interface SendersOptions extends RunOptions {
  readonly submissions: number;
}

export async function sendAll(copies: readonly Copy[], options: SendersOptions) {
  const { submissions, seed, connections } = options;
  const violations: string[] = [];
  /** By the submission's number. */
  const outcomes: Outcome[] = [];
  let connectsRefused = 0;
  const senders = Array.from({ length: connections }, (_, number) => senderTo(copies, number));
  await eachNumber(submissions, options, async (id, worker) => {
    const sender = senders[worker] as Sender;
    const { kind, form, body } = submission(seed, id);
    const asked = {
      path: `/api/v1/submit/${form.name}${isPlain(seed, id) ? '?as=page' : ''}`,
      body,
      // The client address, as a proxy would send it.
      headers: { ...urlencoded, 'x-forwarded-for': clientOf(id) },
      pauseMs: chance(seed, id, 5) < 0.05 ? 20 : undefined,
      patienceMs,
    };
    let { relay, answer } = await sender.send(asked);
    for (; answer.status === 'refused'; { relay, answer } = await sender.send(asked)) {
      connectsRefused += 1;
      sender.goOn();
      await sleep(20);
    }
    const outcome = judge(kind, answer, relay, isPlain(seed, id));
    outcomes[id] = outcome;
    if (outcome === 'wrong') violations.push(`${id} (${kind}) ended with ${JSON.stringify(answer)}`);
  });
  for (const { end } of senders) end();
  return { outcomes, connectsRefused, violations };
}

type Sender = ReturnType<typeof senderTo>;

/** Uses one copy until that copy ends, with a new connection for each relay process. */
function senderTo(copies: readonly Copy[], first: number) {
  let choice = first;
  let known: RelayProcess | undefined;
  let agent = new http.Agent();
  return {
    send: async (asked: Omit<Asked, 'port'>) => {
      const { relay } = copies[choice % copies.length] as Copy;
      if (relay !== known) {
        agent.destroy();
        agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        known = relay;
      }
      return { relay, answer: await ask({ ...asked, port: relay.port, agent }) };
    },
    goOn: () => {
      choice += 1;
    },
    end: () => agent.destroy(),
  };
}

const patienceMs = 30_000;

/** A form without a script gets HTML pages as answers. */
const isPlain = (seed: number, id: number) => chance(seed, id, 6) < 0.3;

/** An address out of some 65,000. */
const clientOf = (id: number) => `198.18.${(id >> 8) % 256}.${id % 256}`;

const page = /^<!doctype html>.*<\/html>\s*$/is;

/** The submission's outcome, given how its request ended. */
function judge(
  kind: Kind,
  { status, body, hasBegun }: Answer,
  relay: RelayProcess,
  asPage: boolean,
): Outcome {
  if (status === 'cut' && relay.ending === 'SIGKILL') return 'cut off by SIGKILL';
  // `compare` checks that the relay did not read it.
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
