/** The built relay, in processes of its own, stopped and started again; and its command. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { between, chance } from './chance.ts';
import { freePort } from './listener.ts';

type Signal = 'SIGTERM' | 'SIGKILL';
type Environment = Readonly<Record<string, string>>;

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

/** The output of a command. */
export async function relayCommand(words: readonly string[], env: Environment): Promise<string> {
  const options = { env: { ...process.env, ...env } };
  return (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout;
}

/** No relay outlives a run that fails. */
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
  /** Errors in this process. */
  readonly faults: string[] = [];
  /** How many deliveries it tried again, by its log. */
  retries = 0;
  /** How many deliveries it kept, by its log. */
  kept = 0;
  /** How many submissions it ended, by its log. */
  ended = 0;
  readonly listening: Promise<void>;
  readonly #exited: Promise<unknown>;
  #lastLog = '';

  /** `nodeOptions` are Node's own. */
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
      // A log for each process: a kill may cut its last line.
      if (env.CHAOS_LOG) appendFileSync(`${env.CHAOS_LOG}-${this.child.pid}`, lines);
    });
  }

  /** Resolves with the milliseconds that it took. */
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
    // By SIGTERM itself where a file was still being written when all else had ended: a disk that is slow.
    const isOrderly = code === 0 || signal === 'SIGTERM';
    const isRight = this.ending === 'SIGKILL' || (this.ending === 'SIGTERM' && isOrderly);
    if (!isRight) this.faults.push(`ended with ${code ?? signal}: ${this.#lastLog.slice(-2_000)}`);
  }

  #readLog(lines: string): void {
    this.#lastLog = lines;
    this.retries += lines.split('"event":"retrying"').length - 1;
    this.ended += lines.split('"event":"submission"').length - 1;
    this.kept += lines.match(/"type":"\w+","outcome":"kept"/g)?.length ?? 0;
    // A bug, whatever came of the request.
    const bug = /^.*"internal_error".*$|^[A-Za-z]*Error\b.*$/m.exec(lines);
    if (bug) this.faults.push(bug[0]);
  }
}

/** The clock of relays, which a run pushes on so that what waits is due. */
export class Clock {
  aheadMs = 0;
  readonly now = (): number => Date.now() + this.aheadMs;

  push(copies: readonly Copy[], ms: number): void {
    this.aheadMs += Math.round(ms);
    // A process that is about to end does not get the message.
    for (const { relay } of copies) relay.child.send(this.aheadMs, () => undefined);
  }

  static readonly nodeOptions = ['--require', fileURLToPath(new URL('clock.cjs', import.meta.url))];
}

/** A copy of several that serve side by side: a port, and the process that listens there now. */
export class Copy {
  relay: RelayProcess;
  readonly ended: RelayProcess[] = [];
  readonly #start: (port: number) => RelayProcess;

  private constructor(relay: RelayProcess, start: (port: number) => RelayProcess) {
    this.relay = relay;
    this.#start = start;
  }

  /** As many as are wanted, with a clock that can be pushed on, or the real one. */
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

  /** Ends the process, and starts another on the same port. Resolves with the milliseconds until the end. */
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

/** The errors of relays. */
export const faultsOf = (lives: readonly RelayProcess[]): readonly string[] =>
  lives.flatMap(({ faults }) => faults.map((fault) => `a relay: ${fault}`));

export interface RestartOptions {
  readonly seed: number;
  /** Milliseconds between two restarts of a copy, about: most by SIGTERM. */
  readonly restartEveryMs?: number;
  /** Or the submissions that a copy ends before, about, however slowly it started. */
  readonly restartAfter?: number;
  /** The same for copies that are only killed. */
  readonly killAfter?: number;
}

/** Ends copies and starts them again, until `end` is called, which tells how often each signal was sent. */
export function restartAll(copies: readonly Copy[], options: RestartOptions) {
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
  return {
    end: async () => {
      isOver = true;
      await all;
      return counts;
    },
  };
}
