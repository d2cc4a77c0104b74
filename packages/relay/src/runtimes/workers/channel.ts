import type { Log } from '../../base/effects.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Asked, Limit, Reached } from '../../features/visitor_mails/mail_limits.ts';
import type { Heard } from '../../keeping/monitor.ts';
import type { RateLimit } from '../../memory/rates.ts';
import type { NewText, OwnTexts } from '../../memory/texts.ts';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import type { Grant } from './throttle_leases.ts';

/** Remote calls: functions from plain data to plain data, at once or soon. */
export type Calls = Readonly<Record<string, (...given: never[]) => unknown>>;

/** An end of the channel between a process and its child. `Theirs`: the calls that the other end answers. */
export interface Channel<Theirs extends Calls> {
  /** Rejects if no answer comes within `patienceMs`: the other process may hang. */
  ask<C extends keyof Theirs & string>(
    call: C,
    given: Parameters<Theirs[C]>,
    patienceMs?: number,
  ): Promise<Awaited<ReturnType<Theirs[C]>>>;
  /** Calls without an answer. */
  tell<C extends keyof Theirs & string>(call: C, ...given: Parameters<Theirs[C]>): void;
  /** Takes a message of the other end. */
  hear(message: unknown): void;
}

interface Asking {
  readonly ask: string;
  readonly given: readonly unknown[];
  /** Absent if no answer is expected. */
  readonly id?: number;
}

interface Answering {
  readonly answerTo: number;
  readonly value?: unknown;
}

/** A hundred times as long as an answer takes on a busy machine, and less than a visitor notices. */
const usualPatienceMs = 500;

/** How long calls fail at once after one without an answer, unless the other end says something. */
const restMs = 1_000;

/** @param send May throw or do nothing if the other end is gone. */
export function createChannel<Theirs extends Calls>(
  send: (message: object) => void,
  own: Calls,
): Channel<Theirs> {
  const waiting = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  let silentUntil = Number.NEGATIVE_INFINITY;
  const post = (message: Asking | Answering) => {
    try {
      send(message);
    } catch {
      // The call times out.
    }
  };
  const answer = async ({ ask, given, id }: Asking) => {
    const value = await own[ask]?.(...(given as never[]));
    if (id !== undefined) post({ answerTo: id, value });
  };
  return {
    ask: (call, given, patienceMs = usualPatienceMs) =>
      new Promise((resolve, reject) => {
        if (performance.now() < silentUntil) return reject(new Error('no answer'));
        lastId += 1;
        const id = lastId;
        const giveUp = () => {
          if (!waiting.delete(id)) return;
          silentUntil = performance.now() + restMs;
          reject(new Error('no answer'));
        };
        // If this process was busy, the answer may have come and not be read yet.
        const timer = setTimeout(() => setImmediate(giveUp), patienceMs);
        waiting.set(id, (value) => {
          clearTimeout(timer);
          resolve(value as Awaited<ReturnType<Theirs[typeof call]>>);
        });
        post({ ask: call, given, id });
      }),
    tell: (call, ...given) => post({ ask: call, given }),
    hear: (message) => {
      silentUntil = Number.NEGATIVE_INFINITY;
      if (isAnswer(message)) {
        const take = waiting.get(message.answerTo);
        waiting.delete(message.answerTo);
        take?.(message.value);
      } else if (isQuestion(message)) void answer(message);
    },
  };
}

const isAnswer = (message: unknown): message is Answering =>
  typeof message === 'object' && message !== null && 'answerTo' in message;

const isQuestion = (message: unknown): message is Asking =>
  typeof message === 'object' && message !== null && 'ask' in message;

/** Calls that the primary answers for a worker. */
export type ToPrimary = {
  /** The worker listens. `line` tells people where. */
  readonly listens: (line: string) => void;
  /** The worker can't start, for this reason. */
  readonly fails: (words: string) => void;
  /** Logs once what every worker reports. */
  readonly tells: (...event: Parameters<Log>) => void;
  /** Whether another worker serves with a loaded config. */
  readonly isServed: () => Promise<boolean>;
  /** The worker's last snapshot. */
  readonly measured: (snapshot: MetricsSnapshot) => void;
  readonly requests: (unused: number, waiting: number) => Grant | Promise<Grant>;
  readonly take: (key: string, limit: RateLimit) => { readonly at: number } | { readonly waitMs: number };
  readonly giveBack: (key: string, at: number) => void;
  readonly useProof: (key: string) => boolean;
  readonly giveProofBack: (key: string) => void;
  readonly noteText: (text: NewText) => Omit<ReturnType<OwnTexts['note']>, 'undo'>;
  readonly forgetText: (number: number) => void;
  readonly takeMail: (mail: Asked) => {
    readonly limit?: Limit | undefined;
    readonly reached?: Reached | undefined;
  };
  readonly giveMailBack: (mail: Asked) => void;
  /** Whether this worker must deliver it, or its outcome; neither while another worker delivers it. */
  readonly beginConfirmed: (key: string) => { readonly isFirst?: true; readonly outcome?: Outcome };
  readonly endConfirmed: (key: string, outcome: Outcome | undefined) => void;
  readonly counted: (counts: readonly Counted[]) => void;
  /** For the worker that monitors kept deliveries. */
  readonly heard: (form: string, heard: Heard) => void;
  /** The line of `/readyz` about waiting deliveries. */
  readonly waits: (words: string | undefined) => void;
};

/** Calls that a worker answers for its primary. */
export type ToWorker = {
  readonly begin: (beginning: Beginning) => void;
  /** Another worker has replaced it: it ends, without hurrying idle connections. */
  readonly leave: () => void;
  /** From now on it does what only one worker may do. */
  readonly lead: () => void;
  /** Whether it serves with a loaded config. */
  readonly hasConfig: () => boolean;
  /** Gives back its requests of the throttle. Returns how many. */
  readonly recall: () => number;
  /** Counts of the other workers. */
  readonly pressed: (counts: readonly Counted[]) => void;
  readonly measure: () => MetricsSnapshot | undefined;
  readonly hears: (form: string, heard: Heard) => void;
  readonly waiting: (words: string | undefined) => void;
};

export interface Beginning {
  /** The worker's number, from 1. */
  readonly worker: number;
  /** The number of workers. */
  readonly processes: number;
  /** The same for all workers: names clients in the log if FORM_TOKEN_SECRET is not set. */
  readonly secret: string;
  /** The config's path, as the command named it. */
  readonly configFile: string | undefined;
  /** The primary's file descriptor of a socket that the service manager opened. */
  readonly fd: number | undefined;
}

/** A submission, as `proof_of_work: auto` counts it, or takes it back. */
export type Counted = readonly [form: string, client: string | null, at: number, isBack?: true];
