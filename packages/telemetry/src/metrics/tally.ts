/** A metric. The list below has the order of Prometheus' text and of docs/metric-list.md. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Text of one or two sentences, shown in Prometheus and in the manual. */
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram's buckets, except the last one, which is infinite. */
  readonly bounds: readonly number[];
}

/** In seconds. A submission may take up to 25 s. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const delays = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const output = ['form', 'output', 'type'] as const;

const metric =
  <T extends Metric['type']>(type: T, bounds: readonly number[] = []) =>
  <const L extends readonly string[] = readonly []>(help: string, labels?: L) => {
    const named: readonly string[] = labels ?? [];
    return { type, help, labels: named as L, bounds };
  };

const counter = metric('counter');
const gauge = metric('gauge');
const duration = metric('histogram', durations);
const delay = metric('histogram', delays);

export const metrics = {
  form_relay_submissions_total: counter('Answered submissions, by the outcome in their log line.', [
    'form',
    'outcome',
  ]),
  form_relay_submission_duration_seconds: duration('Time from arrival to answer.', ['form']),
  form_relay_deliveries_total: counter(
    'Results at each output: delivered, failed, kept (queued for later), skipped (by when or aside), or late (after the timeout, counted as failed).',
    [...output, 'outcome'],
  ),
  form_relay_delivery_tries_total: counter(
    'Delivery attempts, including those of queued deliveries.',
    output,
  ),
  form_relay_delivery_duration_seconds: duration(
    'Time of a delivery with all its attempts, including queued deliveries.',
    output,
  ),
  form_relay_kept_turns_total: counter(
    'Retries of queued deliveries: delivered, put_off (rescheduled), or aside (dead letter).',
    [...output, 'outcome'],
  ),
  form_relay_kept_deliveries: gauge(
    'Queued deliveries: due (retried), aside (dead letters) or held (by a feature, such as a payment). Counted at most once a minute.',
    ['store', 'form', 'state'],
  ),
  form_relay_kept_oldest_age_seconds: gauge('Age of the oldest queued delivery, if the store knows.', [
    'store',
    'form',
  ]),
  form_relay_kept_counted_age_seconds: gauge('Time since the store was last counted.', ['store']),
  form_relay_kept_store_failing: gauge('1 while the store does not respond; its other numbers are old.', [
    'store',
  ]),
  form_relay_canary_failing: gauge('1 while the last canary test of the form failed.', ['form']),
  form_relay_canary_last_success_timestamp_seconds: gauge(
    'When a canary test last passed, in seconds since 1970, as far as this process knows.',
    ['form'],
  ),
  form_relay_canary_duration_seconds: gauge('Time of the last canary test.', ['form']),
  form_relay_checks_ended_total: counter('Submissions that a check ended, by its code.', [
    'form',
    'check',
    'code',
  ]),
  form_relay_signals_total: counter(
    'Signals that added points, by the action that followed: none, observe, tag, aside, challenge or drop.',
    ['form', 'signal', 'action'],
  ),
  form_relay_signals_silent_total: counter(
    'Signals that could not be evaluated, for instance because a service did not respond.',
    ['form', 'signal'],
  ),
  form_relay_agents_total: counter(
    'Signatures of agents: verified, invalid, expired, replayed or unverified.',
    ['form', 'agent', 'result'],
  ),
  form_relay_visitor_mails_total: counter(
    'Mails to visitors: sent, failed, or the reason why none was sent.',
    ['form', 'mail', 'outcome'],
  ),
  form_relay_responses_total: counter('HTTP answers.', ['route', 'status']),
  form_relay_submissions_under_way: gauge('Active requests, mostly submissions.'),
  form_relay_submissions_under_way_limit: gauge('SUBMISSION_LIMIT; beyond it, submissions get 503.'),
  form_relay_connections: gauge('Open connections of clients.'),
  form_relay_connections_limit: gauge(
    'CONNECTION_LIMIT, or half of the open-file limit; beyond it, idle connections are closed.',
  ),
  form_relay_body_bytes: gauge('Bytes of bodies in progress, without those with files.'),
  form_relay_body_bytes_limit: gauge('BODY_BYTES_LIMIT; beyond it, the slowest sender gets 503.'),
  form_relay_upload_bytes: gauge('Memory reserved for bodies with files.'),
  form_relay_upload_bytes_limit: gauge('UPLOAD_BUDGET; beyond it, bodies with files get 503.'),
  form_relay_config_loads_total: counter('Loads of the config: changed, unchanged, invalid or unavailable.', [
    'outcome',
  ]),
  form_relay_config_failing: gauge('1 while the latest config does not load, or none has loaded yet.'),
  form_relay_config_age_seconds: gauge(
    'Time since the config was last checked, which requests for forms trigger.',
  ),
  form_relay_config_forms: gauge('Forms in the active config.'),
  form_relay_log_events_total: counter('Log events, including those below LOG_LEVEL.', ['level', 'event']),
  form_relay_log_lines_lost_total: counter('Log lines lost because no program read them.'),
  form_relay_event_loop_delay_seconds: delay('Longest delay of the event loop in each second.'),
  form_relay_resident_memory_bytes: gauge('Memory taken from the system.'),
  form_relay_heap_used_bytes: gauge('Heap memory in use by JavaScript objects.'),
  form_relay_external_memory_bytes: gauge('Memory of bodies, files and other bytes outside the heap.'),
  form_relay_cpu_seconds_total: counter('Processor time.'),
  form_relay_start_time_seconds: gauge('Start of the process, in seconds since 1970.'),
  form_relay_build_info: gauge('Always 1, with the versions of the relay and of Node as labels.', [
    'version',
    'node',
  ]),
} satisfies Readonly<Record<string, Metric>>;

type MetricName = keyof typeof metrics;

type Named<Type> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];

type Labels<Name extends MetricName> = (typeof metrics)[Name] extends {
  labels: infer Names extends readonly string[];
}
  ? { readonly [At in keyof Names]: string }
  : readonly [];

/** Counts by metric and labels, independent of their meaning. */
export interface Tally {
  /** `by` may be 0 to create the counter, since Prometheus sees no increase when a series first appears. */
  add<Name extends Named<'counter'>>(name: Name, by: number, ...labels: Labels<Name>): void;
  observe<Name extends Named<'histogram'>>(name: Name, seconds: number, ...labels: Labels<Name>): void;
  /** Removes the series of forms and outputs that are unknown to `isKnown`. */
  prune(isKnown: (form: string, output: string | undefined, type: string | undefined) => boolean): void;
  /** The counts in Prometheus' text format, with the readings of gauges and external counters. */
  text(read: Readings): string;
}

/** Values that are read for each text. A metric whose value is missing or `undefined` has no sample. */
export type Readings = {
  readonly [Name in Exclude<MetricName, Named<'histogram'>>]?:
    | number
    | undefined
    | readonly (readonly [labels: Labels<Name>, value: number])[];
};

interface Series {
  readonly labels: readonly string[];
  /** For a histogram, the sum of its values. */
  value: number;
  /** The number of a histogram's values up to each bound, and in total. */
  readonly counts: number[];
}

/** The `Content-Type` of the metrics text. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

const entries = Object.entries(metrics) as [MetricName, Metric][];

export function createTally(): Tally {
  const families = new Map(entries.map(([name]) => [name, new Map<string, Series>()]));

  const seriesOf = (name: MetricName, labels: readonly string[]): Series => {
    const family = families.get(name) as Map<string, Series>;
    const key = labels.join('\0');
    const known = family.get(key);
    if (known) return known;
    const { type, bounds }: Metric = metrics[name];
    const counts = type === 'histogram' ? new Array(bounds.length + 1).fill(0) : [];
    const series = { labels, value: 0, counts };
    family.set(key, series);
    return series;
  };

  return {
    add: (name, by, ...labels) => {
      seriesOf(name, labels).value += by;
    },
    observe: (name, seconds, ...labels) => {
      const series = seriesOf(name, labels);
      const { bounds }: Metric = metrics[name];
      series.value += seconds;
      for (const at of series.counts.keys())
        if (seconds <= (bounds[at] ?? Infinity)) series.counts[at] = (series.counts[at] ?? 0) + 1;
    },
    prune: (isKnown) => {
      for (const [name, { labels: names }] of entries) {
        const family = families.get(name);
        const [form = -1, output = -1, type = -1] = ['form', 'output', 'type'].map((one) =>
          names.indexOf(one),
        );
        if (form < 0) continue;
        for (const [key, { labels }] of family ?? [])
          if (!isKnown(labels[form] ?? '', labels[output], labels[type])) family?.delete(key);
      }
    },
    text: (read) =>
      entries
        .map(([name, metric]) =>
          familyText(name, metric, [...(families.get(name)?.values() ?? []), ...seriesIn(read, name)]),
        )
        .join(''),
  };
}

function seriesIn(read: Readings, name: MetricName): readonly Series[] {
  const reading = name in read ? read[name as keyof Readings] : undefined;
  if (typeof reading === 'number') return [{ labels: [], value: reading, counts: [] }];
  return (reading ?? []).map(([labels, value]) => ({ labels, value, counts: [] }));
}

/** A metric in Prometheus' text format, version 0.0.4. A metric without samples is left out. */
function familyText(name: string, { type, help, labels, bounds }: Metric, all: readonly Series[]): string {
  if (all.length === 0) return '';
  // Most lines are buckets, so their common parts are joined only once.
  const ends = [...bounds, '+Inf'].map((bound) => `le="${bound}"} `);
  const lines = all.map((series) => {
    const own = labels.map((label, at) => `${label}="${escapeValue(series.labels[at] ?? '')}"`).join(',');
    const inBraces = own === '' ? '' : `{${own}}`;
    if (type !== 'histogram') return `${name}${inBraces} ${series.value}\n`;
    const start = `${name}_bucket{${own === '' ? '' : `${own},`}`;
    const buckets = ends.map((end, at) => `${start}${end}${series.counts[at]}\n`).join('');
    return `${buckets}${name}_sum${inBraces} ${series.value}\n${name}_count${inBraces} ${series.counts.at(-1)}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const escapeValue = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
