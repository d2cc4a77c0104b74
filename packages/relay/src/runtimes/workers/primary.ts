import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Log } from '../../base/effects.ts';
import { inTime } from '../../base/in_time.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import { type Counted, createChannel, type ToPrimary, type ToWorker } from './channel.ts';
import { watchAccepting, watchHandover } from './handover.ts';
import { createCounting, createLogOnce } from './shared_counts.ts';
import { ThrottleLeases } from './throttle_leases.ts';
import {
  createWholeLines,
  isServing,
  Leading,
  Measuring,
  nextWait,
  type Place,
  type Process,
  tellOthers,
} from './worker_process.ts';

/** How long a worker may take to end before it is killed. It ends by itself before. */
const endingMs = 25_800;

/** How long a new worker may take to listen; otherwise the old one stays. */
const startingMs = 60_000;

/** How long to wait for the output of a worker that ended. */
const lastWordsMs = 1_000;

export interface PrimaryOptions {
  /** The program of a worker. */
  readonly program: string;
  readonly configFile: string | undefined;
  readonly processes: number;
  readonly settings: Pick<Settings, 'throttleRate' | 'throttleBurst'>;
  /** The file descriptor of a socket that the service manager opened. */
  readonly fd?: number | undefined;
  readonly log: Log;
  /** Gets the workers' output, in whole lines. Default: workers inherit this process's stderr. */
  readonly write?: ((line: string) => void) | undefined;
}

/** How a worker ended; `reason` is for people. */
interface Ending {
  readonly code?: number;
  readonly signal?: string;
  readonly reason?: string;
}

/** The first worker ended before it listened. */
export class StartFailed extends Error {
  override name = 'StartFailed';
  /** @param words For people; `undefined` if the worker has written why. */
  constructor(
    words: string | undefined,
    readonly exitCode: number,
  ) {
    super(words);
  }
}

/**
 * The primary process. It answers no requests: it accepts connections and hands them to workers (node:cluster), counts for
 * all of them, and replaces those that end.
 */
export class Primary {
  readonly #stopAccepting = watchAccepting();
  readonly #secret = `${randomUUID()}${randomUUID()}`;
  readonly #places: readonly Place[];
  readonly #all = new Map<number, Process>();
  readonly #counting = createCounting({ now: Date.now, uuid: randomUUID });
  readonly #leases: ThrottleLeases;
  readonly #logOnce: ReturnType<typeof createLogOnce>;
  readonly #leading: Leading;
  readonly #measuring: Measuring;
  #hasListened = false;
  #isStopping = false;
  #isReplacing = false;
  /** Whether another replacement was asked for meanwhile. */
  #isReplacingDue = false;
  #sayListening: (line: string) => void = () => {};
  #sayFailed: (failed: StartFailed) => void = () => {};

  constructor(private readonly options: PrimaryOptions) {
    // The system would distribute connections unevenly.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: options.program, args: [], silent: options.write !== undefined });
    const { throttleRate: rate, throttleBurst: burst } = options.settings;
    this.#places = Array.from({ length: options.processes }, (_, index) => ({
      number: index + 1,
      processes: new Set(),
      deaths: 0,
      timer: undefined,
    }));
    const recall = async (id: number) =>
      (await this.#all
        .get(id)
        ?.channel.ask('recall', [])
        .catch(() => 0)) ?? 0;
    const { processes } = options;
    this.#leases = new ThrottleLeases({ rate, burst, processes }, () => performance.now(), recall);
    this.#logOnce = createLogOnce(options.log);
    this.#leading = new Leading(this.#all);
    this.#measuring = new Measuring(this.#all);
  }

  /**
   * Starts the workers. Resolves with the first one's words about where it listens, when all of them listen or one has died.
   * Rejects with a `StartFailed` if the first can't start.
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#places as [Place, ...Place[]];
    const listens = new Promise<string>((resolve, reject) => {
      this.#sayListening = resolve;
      this.#sayFailed = reject;
    });
    this.#start(first);
    const line = await listens;
    await Promise.all(others.map((place) => (this.#isStopping ? false : this.#start(place)?.listening)));
    return line;
  }

  /** Replaces all workers, one by one: each when its successor listens. */
  replaceAll(): void {
    this.#isReplacingDue = true;
    if (this.#isReplacing || this.#isStopping || !this.#hasListened) return;
    this.#isReplacing = true;
    void this.#replaceWhileDue();
  }

  /** Ends all workers as a single process ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { timer } of this.#places) clearTimeout(timer);
    await this.#stopAccepting();
    await this.#end([...this.#all.values()], ({ worker }) => worker.process.kill('SIGTERM'));
  }

  /** Kills all workers. */
  kill(): void {
    this.#isStopping = true;
    for (const { worker } of this.#all.values()) worker.process.kill('SIGKILL');
  }

  /** Metrics of all workers, former ones included. */
  measure(): Promise<MetricsSnapshot> {
    return this.#measuring.measure();
  }

  /** Some errors of the system are thrown, and others are events: both are tried again. */
  #start(place: Place): Process | undefined {
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      this.#died(place, 0, { reason: notStarted(error) });
      return undefined;
    }
    const { id } = worker;
    const passOn = watchHandover(worker);
    let words: string | undefined;
    let setListening: (isListening: boolean) => void = () => {};
    const calls: ToPrimary = {
      ...this.#counting.for(id),
      requests: (unused, asking) => this.#leases.request(id, unused, asking),
      listens: (line) => {
        one.isListening = true;
        this.#hasListened = true;
        setListening(true);
        this.#leading.choose();
        this.#leading.tellNew(one);
        this.#sayListening(line);
      },
      fails: (why) => {
        words = why;
      },
      isServed: async () => {
        const others = [...this.#all.values()].filter((other) => other !== one && isServing(other));
        const answers = others.map(({ channel }) => channel.ask('hasConfig', []).catch(() => false));
        return (await Promise.all(answers)).includes(true);
      },
      tells: async (level, event, fields) => {
        // Before it listens, a worker knows no config but its own.
        const isFailure = event === 'config_invalid' || event === 'config_unavailable';
        const isServed = isFailure && !one.isListening && (await calls.isServed());
        this.#logOnce(id, level, event, isServed ? { ...fields, serving: 'the last good config' } : fields);
      },
      measured: (snapshot) => {
        one.measured = snapshot;
      },
      counted: (counts: readonly Counted[]) =>
        tellOthers(this.#all, id, (channel) => channel.tell('pressed', counts)),
      heard: (form, heard) => this.#leading.hears(form, heard),
      waits: (words) => this.#leading.waits(id, words),
    };
    const channel = createChannel<ToWorker>((message) => {
      // Without a callback, a failure to send would be an uncaught error.
      if (worker.isConnected()) worker.send(message, () => {});
    }, calls);
    const ended = new Promise<void>((resolve) => {
      const leave = async (how: Ending) => {
        await lastWordsOf(worker);
        passOn([...this.#all.values()].some((other) => other !== one && isServing(other)));
        this.#leave(place, one, { ...how, ...(words !== undefined && { reason: words }) });
        setListening(false);
        resolve();
      };
      worker.once('exit', (code, signal) => void leave(signal === null ? { code } : { signal }));
      worker.on('error', (error) => {
        // Other errors are of its channel, whose process may have ended before it started.
        if (worker.process.pid === undefined) void leave({ reason: notStarted(error) });
      });
    });
    const one: Process = {
      worker,
      channel,
      startedAt: performance.now(),
      ended,
      listening: new Promise((resolve) => {
        setListening = resolve;
      }),
      isListening: false,
      isLeaving: false,
      measured: [],
    };
    this.#all.set(id, one);
    place.processes.add(one);
    worker.on('message', channel.hear);
    this.#passOnOutput(worker);
    const { processes, configFile, fd } = this.options;
    channel.tell('begin', { worker: place.number, processes, secret: this.#secret, configFile, fd });
    return one;
  }

  #passOnOutput({ process: { stdout, stderr } }: Worker): void {
    const { write } = this.options;
    if (!write) return;
    for (const stream of [stdout, stderr]) {
      const lines = createWholeLines(write);
      stream?.setEncoding('utf8').on('data', lines.write).on('end', lines.end);
    }
  }

  #leave(place: Place, one: Process, how: Ending): void {
    const { worker, startedAt } = one;
    this.#all.delete(worker.id);
    place.processes.delete(one);
    this.#counting.gone(worker.id);
    this.#leases.gone(worker.id);
    this.#measuring.gone(one);
    if (this.#hasListened && !this.#isStopping) this.#leading.choose();
    if (!one.isLeaving) this.#died(place, performance.now() - startedAt, how);
  }

  #died(place: Place, ranMs: number, how: Ending): void {
    if (this.#isStopping) return;
    if (!this.#hasListened) {
      // As a single process fails: without retries, and with one message.
      this.#sayFailed(new StartFailed(how.reason, how.code || 1));
      return;
    }
    // Another process may have its place.
    const wait = place.processes.size === 0 ? nextWait(place.deaths, ranMs) : undefined;
    this.options.log('error', 'worker_ended', {
      worker: place.number,
      ...how,
      ran_s: Math.round(ranMs / 1_000),
      ...(wait && { next_ms: wait.ms }),
    });
    if (!wait) return;
    place.deaths = wait.deaths;
    place.timer = setTimeout(() => this.#start(place), wait.ms);
  }

  /** Kills processes that take too long. */
  async #end(some: readonly Process[], tell: (one: Process) => void): Promise<void> {
    for (const one of some) {
      one.isLeaving = true;
      tell(one);
    }
    this.#leading.choose();
    const kill = setTimeout(() => {
      for (const { worker } of some) worker.process.kill('SIGKILL');
    }, endingMs);
    await Promise.all(some.map(({ ended }) => ended));
    clearTimeout(kill);
  }

  async #replace(place: Place): Promise<boolean> {
    const before = [...place.processes];
    clearTimeout(place.timer);
    const next = this.#start(place);
    const late = setTimeout(() => next?.worker.process.kill('SIGKILL'), startingMs);
    const isListening = await next?.listening;
    clearTimeout(late);
    if (this.#isStopping) return false;
    if (!isListening) {
      if (before.length > 0) this.options.log('error', 'worker_not_replaced', { worker: place.number });
      return false;
    }
    place.deaths = 0;
    await this.#end(before, ({ channel }) => channel.tell('leave'));
    this.options.log('info', 'worker_replaced', { worker: place.number });
    return true;
  }

  async #replaceWhileDue(): Promise<void> {
    while (this.#isReplacingDue && !this.#isStopping) {
      this.#isReplacingDue = false;
      for (const place of this.#places) if (!(await this.#replace(place))) break;
    }
    this.#isReplacing = false;
  }
}

/** An upgrade may be replacing the program, or the system may have no memory for it. */
const notStarted = (error: unknown) =>
  `a worker cannot be started (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;

/** Waits for the last output and messages of a worker that ended. */
const lastWordsOf = (worker: Worker) =>
  inTime<unknown>(
    lastWordsMs,
    Promise.all([once(worker.process, 'close'), worker.isConnected() && once(worker, 'disconnect')]),
    () => undefined,
  );
