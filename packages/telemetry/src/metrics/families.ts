/** A metric. The order of the list below is that of Prometheus' text and of docs/metrics.md. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** A sentence or two, shown in Prometheus and in the manual. */
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram's buckets, without the last, infinite one. */
  readonly bounds: readonly number[];
}

/** In seconds. A submission may take 25 s. */
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
    'Results at each output: delivered, failed, kept for later, skipped because of when or aside, or late: after its timeout, so it counts as failed.',
    [...output, 'outcome'],
  ),
  form_relay_delivery_tries_total: counter('Delivery attempts, including those of kept deliveries.', output),
  form_relay_delivery_duration_seconds: duration(
    'Time of a delivery with all its attempts, including kept deliveries.',
    output,
  ),
  form_relay_kept_turns_total: counter(
    'Retries of kept deliveries: delivered, put_off, or aside (waits for you).',
    [...output, 'outcome'],
  ),
  form_relay_kept_deliveries: gauge(
    'Kept deliveries: due (retried), aside (wait for you) or held (by a feature, such as a payment). Counted once a minute at most.',
    ['store', 'form', 'state'],
  ),
  form_relay_kept_oldest_age_seconds: gauge('Age of the oldest kept delivery, if the store knows.', [
    'store',
    'form',
  ]),
  form_relay_kept_counted_age_seconds: gauge('Time since the store was last counted.', ['store']),
  form_relay_kept_store_failing: gauge('1 while the store does not answer; its other numbers are old.', [
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
    'Signals that could not be evaluated, for instance because a service did not answer.',
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
  form_relay_submissions_under_way: gauge('Requests under way, mostly submissions.'),
  form_relay_submissions_under_way_limit: gauge('SUBMISSION_LIMIT; beyond it, submissions get 503.'),
  form_relay_connections: gauge('Open connections of clients.'),
  form_relay_connections_limit: gauge(
    'CONNECTION_LIMIT, or half of the files that may be open; beyond it, idle connections are closed.',
  ),
  form_relay_body_bytes: gauge('Bytes of bodies under way, without those with files.'),
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
  form_relay_log_lines_lost_total: counter('Log lines that were lost because nothing read them.'),
  form_relay_event_loop_delay_seconds: delay('Longest delay of the event loop in each second.'),
  form_relay_resident_memory_bytes: gauge('Memory taken from the system.'),
  form_relay_heap_used_bytes: gauge('Memory of JavaScript objects.'),
  form_relay_external_memory_bytes: gauge('Memory of bodies, files and other bytes outside the heap.'),
  form_relay_cpu_seconds_total: counter('Processor time.'),
  form_relay_start_time_seconds: gauge('Start of the process, in seconds since 1970.'),
  form_relay_build_info: gauge('Always 1, with the versions of the relay and of Node as labels.', [
    'version',
    'node',
  ]),
} satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
