/**
 * The process that has no part in answering: it accepts connections, hands them round (node:cluster), counts for all
 * workers, and replaces those that end.
 */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Log } from '../../base/effects.ts';
import { inTime } from '../../base/in_time.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import { watchAccepting } from './accepting.ts';
import type { Counted, ToPrimary, ToWorker } from './calls.ts';
import { createCounting } from './counting.ts';
import { createLeading, tellOthers } from './leading.ts';
import { createLeases } from './leases.ts';
import { createLine } from './line.ts';
import { createMeasuring } from './measuring.ts';
import { isServing, type Place, type Process } from './process.ts';
import { createToldOnce } from './told_once.ts';
import { watchHandover } from './untaken.ts';
import { nextWait } from './wait.ts';
import { createWholeLines } from './whole_lines.ts';

/** How long a worker that was told to end may take; then it is killed. It ends by itself before (D61). */
const endingMs = 25_800;

/** How long a new worker may take to listen before the one that it replaces stays after all. */
const startingMs = 60_000;

/** How long it takes at most to read what a worker wrote before it ended. */
const lastWordsMs = 1_000;

export interface PrimaryOptions {
  /** The program of a worker. */
  readonly program: string;
  readonly configFile: string | undefined;
  readonly processes: number;
  readonly settings: Pick<Settings, 'throttleRate' | 'throttleBurst'>;
  /** The socket that somebody opened, by its number. */
  readonly fd?: number | undefined;
  readonly log: Log;
  /** Gets what workers write to stderr: whole lines. Default: they write to the stderr of this process themselves. */
  readonly write?: ((line: string) => void) | undefined;
}

export interface Primary {
  /**
   * Starts the workers, and resolves with what the first one says of where it listens, when all of them listen or one
   * has died. Rejects with a `StartFailed` where the first cannot start.
   */
  start(): Promise<string>;
  /** Replaces all workers, one by one: each when its successor listens. */
  replaceAll(): void;
  /** Ends all of them as one process ends (D61). */
  stop(): Promise<void>;
  /** Ends all of them at once. */
  kill(): void;
  /** What all of them measured, and those before them. */
  measure(): Promise<MetricsSnapshot>;
}

/** The first worker ended before it listened. */
export class StartFailed extends Error {
  override name = 'StartFailed';
  /** What the process ends with. */
  readonly exitCode: number;

  /** @param words For people; none where the worker has written why. */
  constructor(words: string | undefined, exitCode: number) {
    super(words);
    this.exitCode = exitCode;
  }
}

export function createPrimary({
  program,
  configFile,
  processes,
  settings: { throttleRate: rate, throttleBurst: burst },
  fd,
  log,
  write,
}: PrimaryOptions): Primary {
  // Even where the system would share connections out, it does so unevenly.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: program, args: [], silent: write !== undefined });
  const stopAccepting = watchAccepting();
  const secret = `${randomUUID()}${randomUUID()}`;
  const places: readonly Place[] = Array.from({ length: processes }, (_, index) => ({
    number: index + 1,
    processes: new Set(),
    deaths: 0,
    timer: undefined,
  }));
  const all = new Map<number, Process>();
  const counting = createCounting({ now: Date.now, uuid: randomUUID });
  const leases = createLeases(
    { rate, burst, processes },
    () => performance.now(),
    async (id) => {
      try {
        return (await all.get(id)?.line.ask('recall', [])) ?? 0;
      } catch {
        return 0;
      }
    },
  );
  const tellOnce = createToldOnce(log);
  const leading = createLeading(all);
  const measuring = createMeasuring(all);
  let hasListened = false;
  let isStopping = false;
  let isReplacing = false;
  /** Somebody asked for it again meanwhile. */
  let isReplacingDue = false;
  let sayListening: (line: string) => void = () => {};
  let sayFailed: (failed: StartFailed) => void = () => {};

  function start(place: Place): Process {
    const worker = cluster.fork();
    const { id } = worker;
    const passOn = watchHandover(worker);
    let words: string | undefined;
    let setListening: (isListening: boolean) => void = () => {};
    const calls: ToPrimary = {
      ...counting.for(id),
      requests: (unused, asking) => leases.request(id, unused, asking),
      listens: (line) => {
        one.isListening = true;
        hasListened = true;
        setListening(true);
        leading.choose();
        leading.tellNew(one);
        sayListening(line);
      },
      fails: (why) => {
        words = why;
      },
      isServed: async () => {
        const others = [...all.values()].filter((other) => other !== one && isServing(other));
        const answers = others.map(({ line }) => line.ask('hasConfig', []).catch(() => false));
        return (await Promise.all(answers)).includes(true);
      },
      tells: async (level, event, fields) => {
        // Before it listens, it knows of no config but its own.
        const isFailure = event === 'config_invalid' || event === 'config_unavailable';
        const isServed = isFailure && !one.isListening && (await calls.isServed());
        tellOnce(id, level, event, isServed ? { ...fields, serving: 'the last good config' } : fields);
      },
      measured: (snapshot) => {
        one.measured = snapshot;
      },
      counted: (counts: readonly Counted[]) => tellOthers(all, id, (line) => line.tell('pressed', counts)),
      heard: leading.hears,
      waits: (words) => leading.waits(id, words),
    };
    const line = createLine<ToWorker>((message) => {
      // Without a callback, what cannot be sent would be an error of the whole process.
      if (worker.isConnected()) worker.send(message, () => {});
    }, calls);
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', async (code, signal) => {
        // What it said last is still on its way.
        await inTime<unknown>(
          lastWordsMs,
          Promise.all([once(worker.process, 'close'), worker.isConnected() && once(worker, 'disconnect')]),
          () => undefined,
        );
        passOn([...all.values()].some((other) => other !== one && isServing(other)));
        leave(place, one, code, signal, words);
        setListening(false);
        resolve();
      });
    });
    const one: Process = {
      worker,
      line,
      startedAt: performance.now(),
      ended,
      listening: new Promise((resolve) => {
        setListening = resolve;
      }),
      isListening: false,
      isLeaving: false,
      measured: [],
    };
    all.set(id, one);
    place.processes.add(one);
    worker.on('message', line.hear);
    // It may be gone before it was there.
    worker.on('error', () => {});
    if (write) {
      for (const stream of [worker.process.stdout, worker.process.stderr]) {
        const lines = createWholeLines(write);
        stream?.setEncoding('utf8').on('data', lines.write).on('end', lines.end);
      }
    }
    line.tell('begin', { worker: place.number, processes, secret, configFile, fd });
    return one;
  }

  function leave(
    place: Place,
    one: Process,
    code: number | null,
    signal: string | null,
    words?: string,
  ): void {
    const { worker, startedAt } = one;
    all.delete(worker.id);
    place.processes.delete(one);
    counting.gone(worker.id);
    leases.gone(worker.id);
    measuring.gone(one);
    if (isStopping) return;
    if (!hasListened) {
      // As one process would end: not after many tries, and not with many messages.
      sayFailed(new StartFailed(words, code || 1));
      return;
    }
    leading.choose();
    if (one.isLeaving) return;
    const ranMs = performance.now() - startedAt;
    /** Another one may have its place. */
    const wait = place.processes.size === 0 ? nextWait(place.deaths, ranMs) : undefined;
    log('error', 'worker_ended', {
      worker: place.number,
      ...(signal === null ? { code } : { signal }),
      ...(words !== undefined && { reason: words }),
      ran_s: Math.round(ranMs / 1_000),
      ...(wait && { next_ms: wait.ms }),
    });
    if (!wait) return;
    place.deaths = wait.deaths;
    place.timer = setTimeout(() => start(place), wait.ms);
  }

  /** Never takes longer than the process has. */
  async function end(some: readonly Process[], tell: (one: Process) => void): Promise<void> {
    for (const one of some) {
      one.isLeaving = true;
      tell(one);
    }
    leading.choose();
    const kill = setTimeout(() => {
      for (const { worker } of some) worker.process.kill('SIGKILL');
    }, endingMs);
    await Promise.all(some.map(({ ended }) => ended));
    clearTimeout(kill);
  }

  async function replace(place: Place): Promise<boolean> {
    const before = [...place.processes];
    clearTimeout(place.timer);
    const next = start(place);
    const late = setTimeout(() => next.worker.process.kill('SIGKILL'), startingMs);
    const isListening = await next.listening;
    clearTimeout(late);
    if (isStopping) return false;
    if (!isListening) {
      if (before.length > 0) log('error', 'worker_not_replaced', { worker: place.number });
      return false;
    }
    place.deaths = 0;
    await end(before, ({ line }) => line.tell('leave'));
    log('info', 'worker_replaced', { worker: place.number });
    return true;
  }

  async function replaceThem(): Promise<void> {
    for (const place of places) if (!(await replace(place))) return;
  }

  return {
    start: async () => {
      const [first, ...others] = places as [Place, ...Place[]];
      const listens = new Promise<string>((resolve, reject) => {
        sayListening = resolve;
        sayFailed = reject;
      });
      start(first);
      const line = await listens;
      await Promise.all(others.map((place) => (isStopping ? false : start(place).listening)));
      return line;
    },
    replaceAll: () => {
      isReplacingDue = true;
      if (isReplacing || isStopping || !hasListened) return;
      isReplacing = true;
      void (async () => {
        while (isReplacingDue && !isStopping) {
          isReplacingDue = false;
          await replaceThem();
        }
        isReplacing = false;
      })();
    },
    stop: async () => {
      isStopping = true;
      for (const { timer } of places) clearTimeout(timer);
      await stopAccepting();
      await end([...all.values()], ({ worker }) => worker.process.kill('SIGTERM'));
    },
    kill: () => {
      isStopping = true;
      for (const { worker } of all.values()) worker.process.kill('SIGKILL');
    },
    measure: measuring.measure,
  };
}
