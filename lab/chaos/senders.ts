/** Who post submissions, and what becomes of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './chance.ts';
import { Connection, type Ending } from './client.ts';
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
  /** What no sender may see. */
  | 'wrong';

export interface SendersOptions {
  readonly submissions: number;
  readonly seed: number;
  /** How many submissions are under way at once. */
  readonly connections: number;
  /** Told every ten thousand submissions. */
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
    let connection: Connection | undefined;
    const open = async (): Promise<Connection> => {
      for (;;) {
        choice += 1;
        const opened = await Connection.open(copies[choice % copies.length] as Copy);
        if (opened) return opened;
        connectsRefused += 1;
        await sleep(20);
      }
    };
    while (next < submissions && !signal?.aborted) {
      const id = next;
      next += 1;
      if (id % 10_000 === 0) onProgress?.(id);
      const { kind, form, body } = submission(seed, id);
      if (!connection?.isOpen) connection = await open();
      const pauseMs = chance(seed, id, 5) < 0.05 ? 20 : 0;
      const ending = await connection.post(form.name, body, clientOf(id), pauseMs);
      const outcome = judge(kind, ending, connection.relay);
      outcomes[id] = outcome;
      if (outcome === 'wrong') violations.push(`${id} (${kind}) ended with ${JSON.stringify(ending)}`);
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return { outcomes, connectsRefused, violations };
}

/** One of some 65,000. */
const clientOf = (id: number) => `198.18.${(id >> 8) % 256}.${id % 256}`;

/** What this ending makes of the submission. */
function judge(kind: Kind, ending: Ending, relay: RelayProcess): Outcome {
  if (ending.kind === 'cut' && relay.ending === 'SIGKILL') return 'cut off by SIGKILL';
  // `compare` sees to it that it was not read.
  if (ending.kind === 'cut' && relay.ending === 'SIGTERM' && !ending.answerBegan)
    return 'cut off unread by SIGTERM';
  if (ending.kind !== 'answer') return 'wrong';
  const { status, body } = ending;
  const isSuccess = status === 200 && /^\{"message":"ok"(,"receipt":"fr1\.[\w.-]+")?\}$/.test(body);
  if (isSuccess && kind === 'valid') return 'acknowledged';
  if (isSuccess && kind === 'bot') return 'dropped as a bot';
  const isError = /^\{"error":"[^"]+"\}$/.test(body);
  if (isError && status === 422 && kind === 'invalid') return 'refused as invalid';
  return isError && status === 500 && kind === 'valid' ? 'answered with an error' : 'wrong';
}

export function tally(outcomes: readonly Outcome[]): Readonly<Partial<Record<Outcome, number>>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
