import type { Log } from '../../base/effects.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Asked, Limit, Reached } from '../../features/visitor_mails/mail_limits.ts';
import type { Heard } from '../../keeping/monitor.ts';
import type { RateLimit } from '../../memory/rates.ts';
import type { NewText } from '../../memory/texts.ts';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import type { Grant } from './throttle_leases.ts';

/** Questions and answers between two processes, over the channel that Node opens to a child. */

/** What a process can be asked: functions of plain data, which give plain data, at once or soon. */
export type Calls = Readonly<Record<string, (...given: never[]) => unknown>>;

/** One end. `Theirs`: what the other end can be asked. */
export interface Channel<Theirs extends Calls> {
  /** Rejects where no answer comes within `patienceMs`: nobody waits long for a process that hangs. */
  ask<C extends keyof Theirs & string>(
    call: C,
    given: Parameters<Theirs[C]>,
    patienceMs?: number,
  ): Promise<Awaited<ReturnType<Theirs[C]>>>;
  /** Asks for no answer. */
  tell<C extends keyof Theirs & string>(call: C, ...given: Parameters<Theirs[C]>): void;
  /** Reads a message of the other end. */
  hear(message: unknown): void;
}

interface Asking {
  readonly ask: string;
  readonly given: readonly unknown[];
  /** Absent where no answer is asked for. */
  readonly id?: number;
}

interface Answering {
  readonly answerTo: number;
  readonly value?: unknown;
}

/** A hundred times what an answer takes on a busy machine, and less than a visitor notices. */
const usualPatienceMs = 500;

/** After a silence, nobody asks for as long, unless the other end says something. */
const restMs = 1_000;

/** @param send May throw, or say nothing, when the other end is gone: then there is no answer. */
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
      // Whoever waits for an answer gets none, in time.
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
        // Where this process was busy meanwhile, the answer may be there and only not read yet.
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

/** What workers and their primary ask each other. Both are of one build: a worker never outlives its primary for long. */

/** Calls that the primary answers for a worker. */
export type ToPrimary = {
  /** It listens. `line`: what to say of that to people. */
  readonly listens: (line: string) => void;
  /** It cannot start, for this reason. */
  readonly fails: (words: string) => void;
  /** Logs what every process reports, once. */
  readonly tells: (...event: Parameters<Log>) => void;
  /** Whether another worker serves, with a config that loaded. */
  readonly isServed: () => Promise<boolean>;
  /** The last that is measured in it. */
  readonly measured: (snapshot: MetricsSnapshot) => void;
  readonly requests: (unused: number, waiting: number) => Grant | Promise<Grant>;
  readonly take: (key: string, limit: RateLimit) => { readonly at: number } | { readonly waitMs: number };
  readonly giveBack: (key: string, at: number) => void;
  readonly useProof: (key: string) => boolean;
  readonly giveProofBack: (key: string) => void;
  readonly noteText: (text: NewText) => { readonly number: number; readonly similar: number } | undefined;
  readonly forgetText: (number: number) => void;
  readonly takeMail: (mail: Asked) => {
    readonly limit?: Limit | undefined;
    readonly reached?: Reached | undefined;
  };
  readonly giveMailBack: (mail: Asked) => void;
  /** Whether this worker is to deliver it; how it ended; or neither, while another one delivers it. */
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
  /** Another one has its place: it ends, and takes its time with connections that rest. */
  readonly leave: () => void;
  /** From now on it does what only one may do. */
  readonly lead: () => void;
  /** Whether it serves with a config that loaded. */
  readonly hasConfig: () => boolean;
  /** Gives back what it has of the throttle: how many requests. */
  readonly recall: () => number;
  /** Counts of the other workers. */
  readonly pressed: (counts: readonly Counted[]) => void;
  readonly measure: () => MetricsSnapshot | undefined;
  readonly hears: (form: string, heard: Heard) => void;
  readonly waiting: (words: string | undefined) => void;
};

export interface Beginning {
  /** Which one it is, from 1. */
  readonly worker: number;
  /** How many they are. */
  readonly processes: number;
  /** Names clients in the log where FORM_TOKEN_SECRET is not set: for all of them in the same way. */
  readonly secret: string;
  /** The config's path, as the command named it. */
  readonly configFile: string | undefined;
  /** The socket that somebody opened, by its number in the primary. */
  readonly fd: number | undefined;
}

/** What `proof_of_work: auto` goes by: a form, who sent it, when, and whether that is taken back. */
export type Counted = readonly [form: string, client: string | null, at: number, isBack?: true];
