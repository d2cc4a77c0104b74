/** Questions and answers between two processes, over the channel that Node opens to a child. */

/** What a process can be asked: functions of plain data, which give plain data, at once or soon. */
export type Calls = Readonly<Record<string, (...given: never[]) => unknown>>;

/** One end. `Theirs`: what the other end can be asked. */
export interface Line<Theirs extends Calls> {
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
export function createLine<Theirs extends Calls>(send: (message: object) => void, own: Calls): Line<Theirs> {
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
