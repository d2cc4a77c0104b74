/** What a metric is. Its place in the list below is its place in what Prometheus reads, and in docs/metrics.md. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence or two, which people read in Prometheus and in the manual. */
  readonly help: string;
  readonly labels?: readonly string[];
  /** Of a gauge: what several processes have of it together. */
  readonly combine?: 'sum' | 'max';
  /** Of a histogram: the upper bounds of its buckets. */
  readonly bounds?: readonly number[];
}

/** In seconds. A submission may take 25 s (D15). */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const delays = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const output = ['form', 'output', 'type'] as const;

/** Every metric, by its name. */
export const metrics = {
  form_relay_submissions_total: {
    type: 'counter',
    help: 'Submissions that were answered, by how they ended: the outcome of their line in the log.',
    labels: ['form', 'outcome'],
  },
  form_relay_submission_duration_seconds: {
    type: 'histogram',
    help: 'How long submissions took from their arrival to their answer.',
    labels: ['form'],
    bounds: durations,
  },
  form_relay_deliveries_total: {
    type: 'counter',
    help: 'What became of submissions at each output: delivered, failed, kept to be delivered later, or skipped because of its when or aside.',
    labels: [...output, 'outcome'],
  },
  form_relay_delivery_tries_total: {
    type: 'counter',
    help: 'Messages that outputs began to send, each try counted, those of kept deliveries too.',
    labels: output,
  },
  form_relay_delivery_duration_seconds: {
    type: 'histogram',
    help: 'How long deliveries took with all their tries, whether they succeeded or not, those of kept deliveries too.',
    labels: output,
    bounds: durations,
  },
  form_relay_kept_turns_total: {
    type: 'counter',
    help: 'How the turns of kept deliveries ended: delivered, put_off, aside (waits for its owner) or deleted.',
    labels: [...output, 'outcome'],
  },
  form_relay_kept_deliveries: {
    type: 'gauge',
    help: 'Deliveries that are kept: due are tried again by themselves, aside wait for their owner. Counted each minute or less often.',
    labels: ['store', 'form', 'state'],
    combine: 'max',
  },
  form_relay_kept_oldest_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest kept delivery has waited, where the store knows.',
    labels: ['store', 'form'],
    combine: 'max',
  },
  form_relay_kept_counted_age_seconds: {
    type: 'gauge',
    help: 'How long ago the store was last asked what is kept.',
    labels: ['store'],
    combine: 'max',
  },
  form_relay_kept_store_failing: {
    type: 'gauge',
    help: '1 while the store does not say what is kept; the numbers are those from before.',
    labels: ['store'],
    combine: 'max',
  },
  form_relay_checks_ended_total: {
    type: 'counter',
    help: 'Submissions that a check ended before anything was delivered, by what it found.',
    labels: ['form', 'check', 'code'],
  },
  form_relay_signals_total: {
    type: 'counter',
    help: 'Signals that spoke against a submission, by what became of it for all its points: none, observe, tag, aside, challenge or drop.',
    labels: ['form', 'signal', 'action'],
  },
  form_relay_signals_silent_total: {
    type: 'counter',
    help: 'Signals that could not look, such as a service that did not answer.',
    labels: ['form', 'signal'],
  },
  form_relay_visitor_mails_total: {
    type: 'counter',
    help: 'Mails to whoever filled in a form: sent, failed, or why none was to be sent.',
    labels: ['form', 'mail', 'outcome'],
  },
  form_relay_responses_total: {
    type: 'counter',
    help: 'Answers to HTTP requests, by what was asked for and status.',
    labels: ['route', 'status'],
  },
  form_relay_submissions_under_way: {
    type: 'gauge',
    help: 'Requests that are being answered, of which all that take their time are submissions.',
    combine: 'sum',
  },
  form_relay_submissions_under_way_limit: {
    type: 'gauge',
    help: 'SUBMISSION_LIMIT: with more under way, a submission is answered with 503.',
    combine: 'sum',
  },
  form_relay_connections: {
    type: 'gauge',
    help: 'Connections that clients have open.',
    combine: 'sum',
  },
  form_relay_connections_limit: {
    type: 'gauge',
    help: 'CONNECTION_LIMIT, or half of the files that may be open: for one more, one that is idle is closed.',
    combine: 'sum',
  },
  form_relay_body_bytes: {
    type: 'gauge',
    help: 'Bytes of bodies that are being read or relayed, without those with files.',
    combine: 'sum',
  },
  form_relay_body_bytes_limit: {
    type: 'gauge',
    help: 'BODY_BYTES_LIMIT: beyond it, the slowest to send is answered with 503.',
    combine: 'sum',
  },
  form_relay_upload_bytes: {
    type: 'gauge',
    help: 'Bytes of memory that bodies with files have been promised.',
    combine: 'sum',
  },
  form_relay_upload_bytes_limit: {
    type: 'gauge',
    help: 'UPLOAD_BUDGET: beyond it, a body with files is answered with 503.',
    combine: 'sum',
  },
  form_relay_config_loads_total: {
    type: 'counter',
    help: 'Loads of the config, by how they ended: changed, unchanged, invalid or unavailable.',
    labels: ['outcome'],
  },
  form_relay_config_failing: {
    type: 'gauge',
    help: '1 while the latest config could not be loaded, or none was yet.',
    combine: 'max',
  },
  form_relay_config_age_seconds: {
    type: 'gauge',
    help: 'How long ago the config was last loaded, or found unchanged. It rests while nobody asks for a form.',
    combine: 'max',
  },
  form_relay_config_forms: {
    type: 'gauge',
    help: 'Forms in the config that is served.',
    combine: 'max',
  },
  form_relay_log_events_total: {
    type: 'counter',
    help: 'Events that were logged, also those below LOG_LEVEL. Some are told at most once a second.',
    labels: ['level', 'event'],
  },
  form_relay_log_lines_lost_total: {
    type: 'counter',
    help: 'Lines of the log that were lost, because nobody read them.',
  },
  form_relay_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'The longest delay of the event loop in each second: for so long nothing was answered.',
    bounds: delays,
  },
  form_relay_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory that the relay has from the system.',
    combine: 'sum',
  },
  form_relay_heap_used_bytes: {
    type: 'gauge',
    help: 'Memory that JavaScript objects take.',
    combine: 'sum',
  },
  form_relay_external_memory_bytes: {
    type: 'gauge',
    help: 'Memory of bodies, files and other bytes beside the objects.',
    combine: 'sum',
  },
  form_relay_cpu_seconds_total: {
    type: 'counter',
    help: 'Time of the processors that the relay took.',
  },
  form_relay_start_time_seconds: {
    type: 'gauge',
    help: 'When the relay started, in seconds since 1970; of several, the last.',
    combine: 'max',
  },
  form_relay_build_info: {
    type: 'gauge',
    help: 'Always 1, with the versions of the relay and of Node.',
    labels: ['version', 'node'],
    combine: 'max',
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
