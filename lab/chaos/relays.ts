/** The built relay in separate processes that are stopped and restarted, and its command line. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/machine.ts';
import { between, chance } from './chance.ts';
import { type Asked, ask } from './client.ts';

type Signal = 'SIGTERM' | 'SIGKILL';
type Environment = Readonly<Record<string, string>>;

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

/** Runs a command, and returns its output. */
export async function relayCommand(words: readonly string[], env: Environment): Promise<string> {
  const options = { env: { ...process.env, ...env } };
  return (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout;
}

/** Ended when a run fails, so that no relay outlives it. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The life of one relay process. */
export class RelayProcess {
  readonly port: number;
  readonly child: ChildProcess;
  /** Set before the signal is sent. */
  ending: Signal | undefined;
  /** When it was killed; `Infinity` if it was not. */
  killedAt = Infinity;
  /** Errors of this process. */
  readonly faults: string[] = [];
  /** How many deliveries it retried, according to its log. */
  retries = 0;
  /** How many deliveries it queued, according to its log. */
  kept = 0;
  /** How many submissions it finished, according to its log. */
  ended = 0;
  readonly listening: Promise<void>;
  readonly #exited: Promise<unknown>;
  #lastLog = '';

  /** `nodeOptions` are options of Node itself. */
  constructor(port: number, env: Environment, nodeOptions: readonly string[] = []) {
    this.port = port;
    this.child = spawn(process.execPath, [...nodeOptions, program, 'serve'], {
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        THROTTLE_RATE_LIMIT: '1000000',
        THROTTLE_BURST_LIMIT: '1000000',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    running.add(this.child);
    this.#exited = once(this.child, 'exit').then(([code, signal]) => this.#ended(code, signal));
    this.listening = this.#whenListening();
    this.child.stderr?.setEncoding('utf8').on('data', (lines: string) => {
      this.#readLog(lines);
      // A log for each process, because a kill may truncate its last line.
      if (env.CHAOS_LOG) appendFileSync(`${env.CHAOS_LOG}-${this.child.pid}`, lines);
    });
  }

  /** Resolves with the duration in milliseconds. */
  async end(signal: Signal): Promise<number> {
    const startedAt = performance.now();
    this.ending = signal;
    if (signal === 'SIGKILL') this.killedAt = startedAt;
    this.child.kill(signal);
    await this.#exited;
    return performance.now() - startedAt;
  }

  async #whenListening(): Promise<void> {
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    await Promise.race([once(lines, 'line'), this.#exited]);
    if (this.child.exitCode !== null) throw new Error(`the relay does not start: ${this.faults.join('; ')}`);
  }

  #ended(code: number | null, signal: string | null): void {
    running.delete(this.child);
    // On a slow disk, a file may still be written when everything else has ended; the process then dies of SIGTERM itself.
    const isOrderly = code === 0 || signal === 'SIGTERM';
    const isRight = this.ending === 'SIGKILL' || (this.ending === 'SIGTERM' && isOrderly);
    if (!isRight) this.faults.push(`ended with ${code ?? signal}: ${this.#lastLog.slice(-2_000)}`);
  }

  #readLog(lines: string): void {
    this.#lastLog = lines;
    this.retries += lines.split('"event":"retrying"').length - 1;
    this.ended += lines.split('"event":"submission"').length - 1;
    this.kept += lines.match(/"type":"\w+","outcome":"kept"/g)?.length ?? 0;
    // A bug, regardless of the request's result.
    const bug = /^.*"internal_error".*$|^[A-Za-z]*Error\b.*$/m.exec(lines);
    if (bug) this.faults.push(bug[0]);
  }
}

/** The relays' clock, which a run advances so that queued deliveries become due. */
export class Clock {
  aheadMs = 0;
  readonly now = (): number => Date.now() + this.aheadMs;

  push(copies: readonly Copy[], ms: number): void {
    this.aheadMs += Math.round(ms);
    // A process that is exiting does not get the message.
    for (const { relay } of copies) relay.child.send(this.aheadMs, () => undefined);
  }

  static readonly nodeOptions = ['--require', fileURLToPath(new URL('clock.cjs', import.meta.url))];
}

/** A copy that serves side by side with others: a port, and the current process on it. */
export class Copy {
  relay: RelayProcess;
  readonly ended: RelayProcess[] = [];
  readonly #start: (port: number) => RelayProcess;

  private constructor(relay: RelayProcess, start: (port: number) => RelayProcess) {
    this.relay = relay;
    this.#start = start;
  }

  /** Starts this many copies, with a clock that can be advanced, or the real one. */
  static startAll(count: number, env: Environment, clock?: Clock): Promise<readonly Copy[]> {
    const start = (port: number) =>
      clock
        ? new RelayProcess(port, { ...env, CHAOS_AHEAD_MS: String(clock.aheadMs) }, Clock.nodeOptions)
        : new RelayProcess(port, env);
    const copy = async () => {
      const relay = start(await freePort());
      await relay.listening;
      return new Copy(relay, start);
    };
    return Promise.all(Array.from({ length: count }, copy));
  }

  /** Ends the process, and starts another on the same port. Returns how long it took to end. */
  async replace(signal: Signal): Promise<number> {
    const tookMs = await this.end(signal);
    this.relay = this.#start(this.relay.port);
    await this.relay.listening;
    return tookMs;
  }

  async end(signal: Signal): Promise<number> {
    this.ended.push(this.relay);
    return this.relay.end(signal);
  }

  static async endAll(copies: readonly Copy[]): Promise<readonly RelayProcess[]> {
    await Promise.all(copies.map((copy) => copy.end('SIGTERM')));
    return copies.flatMap(({ ended }) => ended);
  }
}

/** Errors of all relays. */
export const faultsOf = (lives: readonly RelayProcess[]): readonly string[] =>
  lives.flatMap(({ faults }) => faults.map((fault) => `a relay: ${fault}`));

export interface FleetOptions {
  readonly seed: number;
  /** The number of copies side by side. */
  readonly relays: number;
  /** The average time between two restarts of a copy in milliseconds: most by SIGTERM. */
  readonly restartEveryMs?: number;
  /** Alternatively, the average number of submissions before a restart, independent of the startup time. */
  readonly restartAfter?: number;
  /** The same for copies that are only killed. */
  readonly killAfter?: number;
}

/** Copies that are stopped and restarted until `calm` is called, and requests to them. */
export async function startFleet(options: FleetOptions, env: Environment, clock?: Clock) {
  const copies = await Copy.startAll(options.relays, env, clock);
  type Request = Omit<Asked, 'port'>;
  const askOne = (nth: number, asked: Request) =>
    ask({ ...asked, port: (copies[nth % copies.length] as Copy).relay.port });
  return {
    copies,
    ask: askOne,
    /** Tries the copies one after another until one listens. */
    send: async (nth: number, asked: Request) => {
      for (let at = nth; ; at += 1) {
        const answer = await askOne(at, asked);
        if (answer.status !== 'refused') return answer;
        await sleep(20);
      }
    },
    /** Returns how often each signal was sent. */
    calm: restartAll(copies, options),
    end: () => Copy.endAll(copies),
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Restarts copies until the returned function is called. */
function restartAll(copies: readonly Copy[], options: FleetOptions) {
  const { seed, killAfter, restartAfter = killAfter ?? 0, restartEveryMs = 0 } = options;
  const counts = { SIGTERM: 0, SIGKILL: 0, longest_stop_ms: 0 };
  let isOver = false;
  const restarts = async (copy: Copy, copyNumber: number) => {
    for (let count = 0; ; count += 1) {
      const at = (question: number) => chance(seed, copyNumber, -count, question);
      const until = performance.now() + restartEveryMs * between(0.5, 1.5, at(1));
      const most = restartAfter * between(0.3, 1.7, at(1));
      while (!isOver && (performance.now() < until || copy.relay.ended < most)) await sleep(5);
      if (isOver) return;
      const signal: Signal = killAfter !== undefined || at(2) < 0.15 ? 'SIGKILL' : 'SIGTERM';
      counts[signal] += 1;
      const tookMs = await copy.replace(signal);
      counts.longest_stop_ms = Math.max(counts.longest_stop_ms, Math.round(tookMs));
    }
  };
  const all = Promise.all(copies.map(restarts));
  return async () => {
    isOver = true;
    await all;
    return counts;
  };
}
