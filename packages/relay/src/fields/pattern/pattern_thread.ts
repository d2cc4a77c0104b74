import type { Worker } from 'node:worker_threads';
import type { MatchPatterns, PatternVerdict } from '../../base/effects.ts';

/** A thousand times what an honest submission takes: other processes may have the core meanwhile. */
const mostMs = 250;
/** How long a form may use the thread at once, and how much of that it regains in each millisecond that passes. */
const mostCreditMs = 500;
const regained = 0.1;
/** How many submissions of a form may wait for the thread. */
const mostWaiting = 32;

type Tasks = Parameters<MatchPatterns>[1];

interface Job {
  readonly form: Account;
  readonly tasks: Tasks;
  resolve(verdicts: readonly PatternVerdict[]): void;
}

/** What a form may still use. */
interface Account {
  creditMs: number;
  at: number;
  waiting: number;
}

interface Answer {
  readonly verdicts: readonly PatternVerdict[];
  readonly ms: number;
}

/**
 * Matches patterns that could block the event loop in a thread (D63), which starts when it is first needed. Each form
 * has its own time there: values sent to one form use up neither another form's time nor the processor.
 */
export function createPatternThread(): { readonly match: MatchPatterns; close(): Promise<void> } {
  const accounts = new Map<string, Account>();
  const jobs: Job[] = [];
  let thread: Worker | undefined;
  let isRunning = false;
  let onAnswer: (answer?: Answer) => void = () => {};

  const match: MatchPatterns = (form, tasks) =>
    new Promise((resolve) => {
      const account = accounts.get(form) ?? { creditMs: mostCreditMs, at: performance.now(), waiting: 0 };
      accounts.set(form, account);
      if (account.waiting === mostWaiting) return resolve(untried(tasks));
      account.waiting += 1;
      jobs.push({ form: account, tasks, resolve });
      if (!isRunning) void run();
    });

  async function run(): Promise<void> {
    isRunning = true;
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { form, tasks, resolve } = job;
      const now = performance.now();
      form.creditMs = Math.min(mostCreditMs, form.creditMs + (now - form.at) * regained);
      form.at = now;
      const answer = form.creditMs > 0 ? await ask(tasks).catch(() => undefined) : undefined;
      form.creditMs -= answer?.ms ?? 0;
      form.waiting -= 1;
      resolve(answer?.verdicts ?? untried(tasks));
    }
    isRunning = false;
  }

  async function ask(tasks: Tasks): Promise<Answer | undefined> {
    // Loaded when it is needed: no cold start waits for it.
    thread ??= start(await import('node:worker_threads'));
    const asked = thread;
    // A process that has nothing else to do waits for the answer.
    asked.ref();
    asked.postMessage({ tasks, mostMs });
    const answer = await new Promise<Answer | undefined>((resolve) => {
      onAnswer = resolve;
    });
    asked.unref();
    return answer;
  }

  function start({ Worker }: typeof import('node:worker_threads')): Worker {
    const worker = new Worker(program, { eval: true });
    worker.on('message', (answer: Answer) => onAnswer(answer));
    // `exit` follows.
    worker.on('error', () => {});
    worker.on('exit', () => {
      thread = undefined;
      onAnswer();
    });
    return worker;
  }

  return {
    match,
    close: async () => {
      await thread?.terminate();
    },
  };
}

const untried = (tasks: Tasks): readonly PatternVerdict[] => tasks.map(() => 'not_tried');

/**
 * What the thread does. As text, so that it needs no file beside each of the programs that the relay is built into.
 * `node:vm` can end a match that takes too long; nothing else in JavaScript can.
 */
const program = `
  const vm = require('node:vm');
  const { parentPort } = require('node:worker_threads');
  const context = vm.createContext({});
  const script = new vm.Script('pattern.test(value)');
  function verdictOf({ pattern, value }, timeout) {
    try {
      Object.assign(context, { pattern: new RegExp('^(?:' + pattern + ')$', 'v'), value });
      return script.runInContext(context, { timeout }) ? 'match' : 'no_match';
    } catch {
      return 'too_slow';
    }
  }
  parentPort.on('message', ({ tasks, mostMs }) => {
    const startedAt = performance.now();
    const verdicts = [];
    for (const task of tasks) {
      const leftMs = Math.floor(mostMs - (performance.now() - startedAt));
      const isOver = leftMs < 1 || verdicts.includes('too_slow');
      verdicts.push(isOver ? 'not_tried' : verdictOf(task, leftMs));
    }
    parentPort.postMessage({ verdicts, ms: performance.now() - startedAt });
  });
`;
