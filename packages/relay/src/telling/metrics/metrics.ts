import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '../../base/effects.ts';
import type { Observer } from '../../base/event.ts';
import type { LogEvent } from '../../base/log_event.ts';
import { version } from '../../base/version.ts';
import type { ConfigCache, LoadEnding } from '../../config/cache.ts';
import { keep } from '../../features/keep/keep.ts';
import type { KeptSeen } from '../../keeping/monitor.ts';
import type { RouteAnswered } from '../../street/app.ts';
import { observeInto, unknown } from './observer.ts';
import type { MetricsSnapshot } from './snapshot.ts';
import { createTally, type Readings, type Tally } from './tally.ts';

/** Measures a relay (`RelayOptions.metrics`). One for each relay. */
export interface Metrics {
  /** The current values. */
  snapshot(): MetricsSnapshot;
  /** Ends the measuring of the process. A snapshot can still be taken. */
  close(): void;
  /** Adds a value with a limit, to be read for the life of the process. */
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
  /** The number of log lines lost until now. */
  readonly lostLines: () => number;
  readonly config: Pick<ConfigCache, 'current' | 'state'>;
  readonly kept: () => KeptSeen | undefined;
}

/** Values with a limit of the process, by their names in metrics. */
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
  const forms = () => measured?.config.current?.forms;
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
      if (fields && mailEvents.includes(event)) {
        const { provider, kind } = fields;
        tally.add('form_relay_mail_events_total', 1, String(provider), String(kind), mailOf(event));
      }
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

/** Events that a provider reported (docs/mail/bounces.md). */
const mailEvents: readonly LogEvent[] = ['mail_bounced', 'mail_complained', 'owner_mail_bounced'];
const mailOf = (event: LogEvent) => (event === 'owner_mail_bounced' ? 'owner' : 'visitor');

/** Events that an owner must act on. They start at 0, since Prometheus sees no growth in a series that appears. */
const ownersErrors = [
  'alert_failed',
  'captcha_unverified',
  'heartbeat_failed',
  'internal_error',
  'keep_failed',
  'keep_unavailable',
  'no_output_applies',
  'no_token_secret',
  'owner_mail_bounced',
  'scan_failed',
] as const;

type Forms = NonNullable<ConfigCache['current']>['forms'];

/** Forgets the series of removed forms, and starts those of the others at 0. */
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
    form_relay_config_failing: config.state === 'fresh' ? 0 : 1,
    form_relay_config_age_seconds: loadedAt === undefined ? undefined : age(loadedAt, now()),
    form_relay_config_forms: config.current?.forms.size,
    form_relay_log_lines_lost_total: lostLines(),
    ...keptReadings(kept(), config.current?.forms ?? new Map(), now()),
  };
}

/** The last count: counting for each scrape would be too often. */
function keptReadings(last: KeptSeen | undefined, forms: Forms, now: number): Readings {
  if (!last) return {};
  const { keep, seen } = last;
  const store = keep.in.kind;
  /** By label: a store may hold deliveries of removed forms, and queues do not distinguish forms. */
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

/** The label for stores that do not distinguish forms. */
const together = '(all)';

/** In seconds. A clock that is set back must not lead to a negative age. */
const age = (since: number, now: number) => Math.max(0, now - since) / 1_000;

const resolutionMs = 20;
const tellMs = 1_000;

/**
 * Measures the process itself. `delayed` receives the longest delay of the event loop in each second, in seconds. Resetting
 * by the clock instead of by reading lets several readers see the same.
 */
function measureProcess(delayed: (seconds: number) => void) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const timer = setInterval(() => {
    // The histogram records the time between two ticks in nanoseconds.
    delayed(Math.max(0, delay.max / 1e6 - resolutionMs) / 1_000);
    delay.reset();
  }, tellMs).unref();

  return {
    readings: (): Readings => {
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
