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
  form_relay_submissions_total: counter(
    'Submissions that were answered, by how they ended: the outcome of their line in the log.',
    ['form', 'outcome'],
  ),
  form_relay_submission_duration_seconds: duration(
    'How long submissions took from their arrival to their answer.',
    ['form'],
  ),
  form_relay_deliveries_total: counter(
    'What became of submissions at each output: delivered, failed, kept to be delivered later, or skipped because of its when or aside.',
    [...output, 'outcome'],
  ),
  form_relay_delivery_tries_total: counter(
    'Messages that outputs began to send, each try counted, those of kept deliveries too.',
    output,
  ),
  form_relay_delivery_duration_seconds: duration(
    'How long deliveries took with all their tries, whether they succeeded or not, those of kept deliveries too.',
    output,
  ),
  form_relay_kept_turns_total: counter(
    'How the turns of kept deliveries ended: delivered, put_off or aside (waits for its owner).',
    [...output, 'outcome'],
  ),
  form_relay_kept_deliveries: gauge(
    'Deliveries that are kept: due are tried again by themselves, aside wait for their owner, held for a feature, such as a payment. Counted each minute or less often.',
    ['store', 'form', 'state'],
  ),
  form_relay_kept_oldest_age_seconds: gauge(
    'How long the oldest kept delivery has waited, where the store knows.',
    ['store', 'form'],
  ),
  form_relay_kept_counted_age_seconds: gauge('How long ago the store was last asked what is kept.', [
    'store',
  ]),
  form_relay_kept_store_failing: gauge(
    '1 while the store does not say what is kept; the numbers are those from before.',
    ['store'],
  ),
  form_relay_canary_failing: gauge('1 while the last test of a form by its canary failed.', ['form']),
  form_relay_canary_last_success_timestamp_seconds: gauge(
    'When a test of a form last passed, in seconds since 1970, as far as this process knows.',
    ['form'],
  ),
  form_relay_canary_duration_seconds: gauge('How long the last test of a form took.', ['form']),
  form_relay_checks_ended_total: counter(
    'Submissions that a check ended before anything was delivered, by what it found.',
    ['form', 'check', 'code'],
  ),
  form_relay_signals_total: counter(
    'Signals that spoke against a submission, by what became of it for all its points: none, observe, tag, aside, challenge or drop.',
    ['form', 'signal', 'action'],
  ),
  form_relay_signals_silent_total: counter(
    'Signals that could not look, such as a service that did not answer.',
    ['form', 'signal'],
  ),
  form_relay_agents_total: counter(
    'Submissions with the signature of an agent that the config names: verified, invalid, expired, replayed, or unverified.',
    ['form', 'agent', 'result'],
  ),
  form_relay_visitor_mails_total: counter(
    'Mails to whoever filled in a form: sent, failed, or why none was to be sent.',
    ['form', 'mail', 'outcome'],
  ),
  form_relay_responses_total: counter('Answers to HTTP requests, by what was asked for and status.', [
    'route',
    'status',
  ]),
  form_relay_submissions_under_way: gauge(
    'Requests that are being answered, of which all that take their time are submissions.',
  ),
  form_relay_submissions_under_way_limit: gauge(
    'SUBMISSION_LIMIT: with more under way, a submission is answered with 503.',
  ),
  form_relay_connections: gauge('Connections that clients have open.'),
  form_relay_connections_limit: gauge(
    'CONNECTION_LIMIT, or half of the files that may be open: for one more, one that is idle is closed.',
  ),
  form_relay_body_bytes: gauge('Bytes of bodies that are being read or relayed, without those with files.'),
  form_relay_body_bytes_limit: gauge(
    'BODY_BYTES_LIMIT: beyond it, the slowest to send is answered with 503.',
  ),
  form_relay_upload_bytes: gauge('Bytes of memory that bodies with files have been promised.'),
  form_relay_upload_bytes_limit: gauge('UPLOAD_BUDGET: beyond it, a body with files is answered with 503.'),
  form_relay_config_loads_total: counter(
    'Loads of the config, by how they ended: changed, unchanged, invalid or unavailable.',
    ['outcome'],
  ),
  form_relay_config_failing: gauge('1 while the latest config could not be loaded, or none was yet.'),
  form_relay_config_age_seconds: gauge(
    'How long ago the config was last loaded, or found unchanged. It rests while nobody asks for a form.',
  ),
  form_relay_config_forms: gauge('Forms in the config that is served.'),
  form_relay_log_events_total: counter(
    'Events that were logged, also those below LOG_LEVEL. Some are told at most once a second.',
    ['level', 'event'],
  ),
  form_relay_log_lines_lost_total: counter('Lines of the log that were lost, because nobody read them.'),
  form_relay_event_loop_delay_seconds: delay(
    'The longest delay of the event loop in each second: for so long nothing was answered.',
  ),
  form_relay_resident_memory_bytes: gauge('Memory that the relay has from the system.'),
  form_relay_heap_used_bytes: gauge('Memory that JavaScript objects take.'),
  form_relay_external_memory_bytes: gauge('Memory of bodies, files and other bytes beside the objects.'),
  form_relay_cpu_seconds_total: counter('Time of the processors that the relay took.'),
  form_relay_start_time_seconds: gauge('When the relay started, in seconds since 1970.'),
  form_relay_build_info: gauge('Always 1, with the versions of the relay and of Node.', ['version', 'node']),
} satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
