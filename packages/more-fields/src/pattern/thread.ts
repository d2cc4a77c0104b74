import { Worker } from 'node:worker_threads';

/** What a thread found: `not_tried` if there was no time. */
export type Verdict = 'match' | 'no_match' | 'too_slow' | 'not_tried';

/** Matches values against patterns. The form has a budget of its own. Never rejects. */
export type MatchPatterns = (
  form: string,
  tasks: readonly { readonly pattern: string; readonly value: string }[],
) => Promise<readonly Verdict[]>;

/** The CPU time for a submission's values: a thousand times what honest ones need. */
const mostMs = 250;
/** The time that a form may use at once, and the share of it regained per elapsed millisecond. */
const mostCreditMs = 500;
const regained = 0.1;
/** The most submissions of a form that wait for the thread. */
const mostWaiting = 32;

export type PatternThread = ReturnType<typeof createPatternThread>;

type Tasks = Parameters<MatchPatterns>[1];

interface Account {
  creditMs: number;
  at: number;
  waiting: number;
}

interface Answer {
  readonly verdicts: readonly Verdict[];
  readonly ms: number;
}

/** Matches in a thread, which starts on demand. Each form has its own budget: values sent to one use up no other's time. */
export function createPatternThread() {
  const accounts = new Map<string, Account>();
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let onAnswer: (answer?: Answer) => void = () => {};

  const match: MatchPatterns = async (form, tasks) => {
    const account = accounts.get(form) ?? { creditMs: mostCreditMs, at: performance.now(), waiting: 0 };
    accounts.set(form, account);
    if (account.waiting === mostWaiting) return untried(tasks);
    account.waiting += 1;
    const verdicts = last.then(() => decide(account, tasks));
    last = verdicts;
    return verdicts;
  };

  async function decide(account: Account, tasks: Tasks): Promise<readonly Verdict[]> {
    const now = performance.now();
    account.creditMs = Math.min(mostCreditMs, account.creditMs + (now - account.at) * regained);
    account.at = now;
    const answer = account.creditMs > 0 ? await ask(tasks).catch(() => undefined) : undefined;
    account.creditMs -= answer?.ms ?? 0;
    account.waiting -= 1;
    return answer?.verdicts ?? untried(tasks);
  }

  async function ask(tasks: Tasks): Promise<Answer | undefined> {
    thread ??= start();
    const asked = thread;
    // Keep the process alive only while an answer is due.
    asked.ref();
    asked.postMessage({ tasks, mostMs });
    const answer = await new Promise<Answer | undefined>((resolve) => {
      onAnswer = resolve;
    });
    asked.unref();
    return answer;
  }

  function start(): Worker {
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

const untried = (tasks: Tasks): readonly Verdict[] => tasks.map(() => 'not_tried');

/** The thread's code, as text, so that bundles need no other file. Only `node:vm` can interrupt a match. */
const program = `
  const vm = require('node:vm');
  const { parentPort } = require('node:worker_threads');
  const context = vm.createContext({});
  const script = new vm.Script('pattern.test(value)');
  // Before Node 23.9, only the time of the whole process is known.
  function cpuMs() {
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
    return (user + system) / 1000;
  }
  // The clock interrupts a match, also while other processes have the core: then it starts over, with more time.
  function verdictOf({ pattern, value }, leftMs) {
    Object.assign(context, { pattern: new RegExp('^(?:' + pattern + ')$', 'v'), value });
    for (const times of [1, 4, 16]) {
      const startedAt = cpuMs();
      try {
        return script.runInContext(context, { timeout: leftMs * times }) ? 'match' : 'no_match';
      } catch {
        if (cpuMs() - startedAt > leftMs / 2) return 'too_slow';
      }
    }
    return 'not_tried';
  }
  parentPort.on('message', ({ tasks, mostMs }) => {
    const startedAt = performance.now();
    const endsAtMs = cpuMs() + mostMs;
    const verdicts = [];
    for (const task of tasks) {
      const leftMs = Math.floor(endsAtMs - cpuMs());
      const isOver = leftMs < 1 || verdicts.includes('too_slow');
      verdicts.push(isOver ? 'not_tried' : verdictOf(task, leftMs));
    }
    parentPort.postMessage({ verdicts, ms: performance.now() - startedAt });
  });
`;
