import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '../../base/effects.ts';
import type { Observer } from '../../base/event.ts';
import { version } from '../../base/version.ts';
import type { ConfigCache, LoadEnding } from '../../config/cache.ts';
import { keep } from '../../features/keep/keep.ts';
import type { KeptSeen } from '../../keeping/monitor.ts';
import type { RouteAnswered } from '../../street/app.ts';
import { observeInto, unknown } from './observer.ts';
import type { MetricsSnapshot } from './snapshot.ts';
import { createTally, type Readings, type Tally } from './tally.ts';

/** What a relay is measured with (`RelayOptions.metrics`). One for each relay. */
export interface Metrics {
  /** All that was measured until now. */
  snapshot(): MetricsSnapshot;
  /** Ends what runs beside the relay. A snapshot can still be taken. */
  close(): void;
  /** How full something is that has a limit, for as long as the process lives. */
  readonly level: TellLevel;
  /** The rest is for `createRelay`. */
  readonly observe: Observer;
  readonly answered: RouteAnswered;
  readonly loaded: (ending: LoadEnding) => void;
  readonly counting: (log: Log) => Log;
  readonly begin: (measured: Measured) => void;
}

export interface Measured {
  readonly now: () => number;
  /** How many lines of the log were lost until now. */
  readonly lostLines: () => number;
  /** Absent in a process that reads no config, such as the primary of several workers. */
  readonly config?: Pick<ConfigCache, 'current' | 'state'>;
  readonly kept?: () => KeptSeen | undefined;
}

/** What has a limit of the process (D62), as metrics call it. */
export type Level = 'submissions_under_way' | 'connections' | 'body_bytes' | 'upload_bytes';

export type TellLevel = (level: Level, read: () => number, limit: number) => void;

export function createMetrics(): Metrics {
  const tally = createTally();
  const ownProcess = measureProcess((seconds) =>
    tally.observe('form_relay_event_loop_delay_seconds', seconds),
  );
  const levels = new Map<Level, { readonly read: () => number; readonly limit: number }>();
  let measured: Measured | undefined;
  let loadedAt: number | undefined;
  const forms = () => measured?.config?.current?.forms;
  for (const ending of ['changed', 'unchanged', 'invalid', 'unavailable'] as const) {
    tally.add('form_relay_config_loads_total', 0, ending);
  }
  for (const event of ownersErrors) tally.add('form_relay_log_events_total', 0, 'error', event);

  return {
    observe: observeInto(tally, (id) => forms()?.get(id ?? '')),
    answered: (route, status) => tally.add('form_relay_responses_total', 1, route, `${status}`),
    loaded: (ending) => {
      tally.add('form_relay_config_loads_total', 1, ending);
      if (ending === 'changed' || ending === 'unchanged') loadedAt = measured?.now();
      if (ending === 'changed') followConfig(tally, forms());
    },
    counting: (log) => (level, event, fields) => {
      tally.add('form_relay_log_events_total', 1, level, event);
      log(level, event, fields);
    },
    level: (level, read, limit) => void levels.set(level, { read, limit }),
    begin: (given) => {
      measured = given;
    },
    snapshot: () => {
      const levelsNow = [...levels].flatMap(([level, { read, limit }]) => [
        [`form_relay_${level}`, read()],
        [`form_relay_${level}_limit`, limit],
      ]);
      return tally.snapshot({
        ...Object.fromEntries(levelsNow),
        ...(measured && relayReadings(measured, loadedAt)),
        ...ownProcess.readings(),
      });
    },
    close: ownProcess.close,
  };
}

/** Events that an owner must act on: they are there before they happen, since Prometheus sees no growth in what appears. */
const ownersErrors = [
  'alert_failed',
  'captcha_unverified',
  'heartbeat_failed',
  'internal_error',
  'keep_failed',
  'keep_unavailable',
  'no_output_applies',
  'no_token_secret',
  'scan_failed',
  'worker_ended',
  'worker_not_replaced',
] as const;

type Forms = NonNullable<ConfigCache['current']>['forms'];

/** What was counted of forms that are gone is forgotten; what is to be watched of the others is there before it happens. */
function followConfig(tally: Tally, forms: Forms = new Map()): void {
  tally.prune((name, output, type) => {
    if (name === unknown) return true;
    const form = forms.get(name);
    if (!form) return false;
    return output === undefined || output === unknown || form.outputs[Number(output)]?.type === type;
  });
  for (const [name, form] of forms) {
    const { outputs } = form;
    const keeps = keep.of(form) !== undefined;
    for (const outcome of ['delivered', 'undelivered'])
      tally.add('form_relay_submissions_total', 0, name, outcome);
    outputs.forEach(({ type }, at) => {
      const output = [name, `${at}`, type] as const;
      for (const outcome of ['delivered', 'failed', ...(keeps ? ['kept'] : [])])
        tally.add('form_relay_deliveries_total', 0, ...output, outcome);
      for (const outcome of keeps ? ['delivered', 'aside', 'deleted'] : [])
        tally.add('form_relay_kept_turns_total', 0, ...output, outcome);
    });
  }
}

function relayReadings({ now, config, lostLines, kept }: Measured, loadedAt: number | undefined): Readings {
  return {
    form_relay_config_failing: config && (config.state === 'fresh' ? 0 : 1),
    form_relay_config_age_seconds: loadedAt === undefined ? undefined : age(loadedAt, now()),
    form_relay_config_forms: config?.current?.forms.size,
    form_relay_log_lines_lost_total: lostLines(),
    ...keptReadings(kept?.(), config?.current?.forms ?? new Map(), now()),
  };
}

/** As last counted: counting for each scrape would be too often. */
function keptReadings(last: KeptSeen | undefined, forms: Forms, now: number): Readings {
  if (!last) return {};
  const { keep, seen } = last;
  const store = keep.in.kind;
  /** By the names that labels have: a store may hold what forms owe that are gone, and queues tell no forms apart. */
  const named = new Map<string, { due: number; aside: number; oldest: number }>();
  for (const [form, { due, aside, oldestKeptAt = Infinity }] of seen.waiting.forms) {
    const name = form === '' ? together : forms.has(form) ? form : unknown;
    const before = named.get(name) ?? { due: 0, aside: 0, oldest: Infinity };
    named.set(name, {
      due: before.due + due,
      aside: before.aside + aside,
      oldest: Math.min(before.oldest, oldestKeptAt),
    });
  }
  const all = [...named];
  return {
    form_relay_kept_deliveries: all.flatMap(([name, { due, aside }]) => [
      [[store, name, 'due'], due] as const,
      [[store, name, 'aside'], aside] as const,
    ]),
    form_relay_kept_oldest_age_seconds: all
      .filter(([, { oldest }]) => oldest < Infinity)
      .map(([name, { oldest }]) => [[store, name], age(oldest, now)] as const),
    form_relay_kept_counted_age_seconds: [[[store], age(seen.at, now)]],
    form_relay_kept_store_failing: [[[store], seen.problem === undefined ? 0 : 1]],
  };
}

/** For stores that cannot tell forms apart. */
const together = '(all)';

/** In seconds. A clock that is set back makes nothing younger than now. */
const age = (since: number, now: number) => Math.max(0, now - since) / 1_000;

const resolutionMs = 20;
const tellMs = 1_000;

/**
 * Measures the process itself. `delayed` gets the longest delay of the event loop of each second, in seconds: so several
 * who read see the same, which they would not if reading began it anew.
 */
export function measureProcess(delayed: (seconds: number) => void): {
  readonly readings: () => Readings;
  readonly close: () => void;
} {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const timer = setInterval(() => {
    // What is recorded is the time from one look to the next, in nanoseconds.
    delayed(Math.max(0, delay.max / 1e6 - resolutionMs) / 1_000);
    delay.reset();
  }, tellMs).unref();

  return {
    readings: () => {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return {
        form_relay_resident_memory_bytes: rss,
        form_relay_heap_used_bytes: heapUsed,
        form_relay_external_memory_bytes: external,
        form_relay_cpu_seconds_total: (user + system) / 1e6,
        form_relay_start_time_seconds: Math.round(performance.timeOrigin) / 1_000,
        form_relay_build_info: [[[version, process.version], 1]],
      };
    },
    close: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}
