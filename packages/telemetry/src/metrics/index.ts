/** Metrics for Prometheus (docs/metrics.md), loaded on demand. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { version } from '@form-relay/base/version';
import type { Form, Log, Observer, Plugin, Submission } from '@form-relay/core/index';
import { ownPlugin } from '@form-relay/core/internal';
import { outcomeInLog } from '@form-relay/core/submission';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { createTally, type Readings, type Tally } from './tally.ts';

export { type MetricsServer, serveMetrics } from './metrics_server.ts';
export { metricsType } from './tally.ts';

/** Measures a relay. Each relay needs its own. */
export interface Metrics {
  /** A plug-in for the relay that counts submissions and events. */
  readonly plugin: Plugin;
  /** Wraps the relay so that its responses are counted. */
  measure<R extends Relay>(relay: R): R;
  /** The current values in Prometheus' text format. */
  text(): string;
  /** Stops measuring the process. The text remains readable. */
  close(): void;
  /** Adds a value that has a limit and is read as long as the process runs. */
  readonly level: TellLevel;
}

/** The process's values that have a limit, by their names in metrics. */
export type Level = 'submissions_under_way' | 'connections' | 'body_bytes' | 'upload_bytes';

export type TellLevel = (level: Level, read: () => number, limit: number) => void;

export function createMetrics(): Metrics {
  const tally = createTally();
  const ownProcess = measureProcess((seconds) =>
    tally.observe('form_relay_event_loop_delay_seconds', seconds),
  );
  const levels = new Map<Level, { readonly read: () => number; readonly limit: number }>();
  let measured: Relay | undefined;
  const forms = () => measured?.config.current?.forms;
  for (const event of ownersErrors) tally.add('form_relay_log_events_total', 0, 'error', event);
  const level: TellLevel = (name, read, limit) => void levels.set(name, { read, limit });

  return {
    plugin: ownPlugin({
      name: 'metrics',
      observe: countSubmission(tally),
      onLog: countLog(tally, (id) => forms()?.get(id)),
      start: ({ forms }) => followConfig(tally, forms),
    }),
    measure: (relay) => {
      measured = relay;
      const { handle, underWay } = countingAnswers(relay, tally);
      level('submissions_under_way', underWay, relay.settings.submissionLimit);
      level('upload_bytes', () => relay.handle.uploads.taken, relay.settings.uploadBudget);
      return Object.assign(Object.create(Object.getPrototypeOf(relay)), relay, { handle });
    },
    level,
    text: () => {
      const levelsNow = [...levels].flatMap(([name, { read, limit }]) => [
        [`form_relay_${name}`, read()],
        [`form_relay_${name}_limit`, limit],
      ]);
      return tally.text({
        ...Object.fromEntries(levelsNow),
        ...Object.assign({}, ...pluginsOf(measured).map((plugin) => plugin.gauges?.())),
        ...(measured && relayReadings(measured)),
        ...ownProcess.readings(),
      });
    },
    close: ownProcess.close,
  };
}

/** Passes requests to the relay, and counts the responses by route and status. */
function countingAnswers({ handle }: Relay, tally: Tally) {
  let underWay = 0;
  const counted: typeof handle = Object.assign(async (...[request, given]: Parameters<typeof handle>) => {
    underWay += 1;
    try {
      const admission = given ?? handle.admit(request);
      const answer = await handle(request, admission);
      // `none`: the path belongs to no route.
      const { name = 'none' } = admission.endpoint ?? {};
      tally.add('form_relay_responses_total', 1, name, `${answer.status}`);
      return answer;
    } finally {
      underWay -= 1;
    }
  }, handle);
  return { handle: counted, underWay: () => underWay };
}

/** Events that an owner must handle. The counters start at 0, since Prometheus sees no increase when a series first appears. */
const ownersErrors = [
  'alert_failed',
  'captcha_unverified',
  'internal_error',
  'keep_failed',
  'keep_unavailable',
  'no_output_applies',
  'no_token_secret',
] as const;

/** Removes the series of removed forms, and starts those of other forms at 0. */
function followConfig(tally: Tally, forms: ReadonlyMap<string, Form>): void {
  tally.prune((name, output, type) => {
    if (name === unknown) return true;
    const form = forms.get(name);
    if (!form) return false;
    return output === undefined || output === unknown || form.outputs[Number(output)]?.type === type;
  });
  for (const [name, { outputs, provided }] of forms) {
    const keeps = provided.get('keep') !== undefined;
    for (const outcome of ['delivered', 'undelivered'])
      tally.add('form_relay_submissions_total', 0, name, outcome);
    outputs.forEach(({ type }, at) => {
      const output = [name, `${at}`, type] as const;
      for (const outcome of ['delivered', 'failed', ...(keeps ? ['kept'] : [])])
        tally.add('form_relay_deliveries_total', 0, ...output, outcome);
      for (const outcome of keeps ? ['delivered', 'aside'] : [])
        tally.add('form_relay_kept_turns_total', 0, ...output, outcome);
    });
  }
}

const pluginsOf = (relay: Relay | undefined) => relay?.config.current?.registry.plugins ?? [];

function relayReadings({ config, services, lostLogLines }: Relay): Readings {
  const { loads, checkedAt } = config;
  return {
    form_relay_config_loads_total: Object.entries(loads).map(
      ([outcome, count]) => [[outcome], count] as const,
    ),
    form_relay_config_failing: config.state === 'fresh' ? 0 : 1,
    form_relay_config_age_seconds:
      // A clock that is set back must not cause a negative age.
      checkedAt === undefined ? undefined : Math.max(0, services.now() - checkedAt) / 1_000,
    form_relay_config_forms: config.current?.forms.size,
    form_relay_log_lines_lost_total: lostLogLines(),
  };
}

const resolutionMs = 20;
const tellMs = 1_000;

/**
 * Measures the process itself. `delayed` receives the longest event loop delay of each second, in seconds.
 * The value is reset by the clock, not by reading, so that several readers see the same value.
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

/** The label for forms and outputs that are not in the config. Visitors must not be able to create labels. */
const unknown = '(unknown)';

/** Counts a submission after its response. */
const countSubmission =
  (tally: Tally): Observer =>
  ({ outcome, ms, submission }) => {
    const form = submission?.form;
    const name = form?.id ?? unknown;
    tally.add('form_relay_submissions_total', 1, name, outcomeInLog(outcome, submission?.deliveries));
    tally.observe('form_relay_submission_duration_seconds', seconds(ms), name);
    if (!submission || !form) return;
    countDeliveries(tally, submission);
    countSignals(tally, name, submission.logFields);
    countWithheld(tally, name, submission.logFields);
    const { by, code = outcome.kind, errors } = outcome;
    if (submission.deliveries.length > 0) return;
    if (errors) tally.add('form_relay_checks_ended_total', 1, name, 'validation', 'invalid');
    else if (by !== undefined) tally.add('form_relay_checks_ended_total', 1, name, by, code);
  };

function countDeliveries(tally: Tally, { formId, deliveries }: Submission): void {
  for (const one of deliveries) {
    if (!one) continue;
    const { type, outcome, tries, ms } = one;
    const output = `${one.output}`;
    tally.add('form_relay_deliveries_total', 1, formId, output, type, outcome);
    if (tries === 0) continue;
    tally.add('form_relay_delivery_tries_total', tries, formId, output, type);
    tally.observe('form_relay_delivery_duration_seconds', seconds(ms), formId, output, type);
  }
}

/** Counts the log fields of the spam score and of signatures. */
function countSignals(tally: Tally, form: string, fields: Submission['logFields']): void {
  const { doubt, signals, silent, agent, signature } = (fields ?? {}) as Readonly<{
    doubt?: string;
    agent?: string;
    signature?: string;
    signals?: Readonly<Record<string, number>>;
    silent?: readonly string[];
  }>;
  for (const [signal, points] of Object.entries(signals ?? {}))
    if (points > 0) tally.add('form_relay_signals_total', 1, form, signal, doubt ?? 'none');
  if (agent !== undefined) tally.add('form_relay_agents_total', 1, form, agent, signature ?? '');
  for (const signal of silent ?? []) tally.add('form_relay_signals_silent_total', 1, form, signal);
}

const visitorMails = ['confirmation_mail', 'double_opt_in', 'verification_mail', 'registered_mail'] as const;

function countWithheld(tally: Tally, form: string, fields: Submission['logFields']): void {
  for (const mail of visitorMails) {
    const reason = fields?.[mail];
    if (typeof reason === 'string') tally.add('form_relay_visitor_mails_total', 1, form, mail, reason);
  }
}

/** Events about mails to visitors: the kind of mail, and its result. */
const mailResult = new RegExp(`^(${visitorMails.join('|')})_(sent|failed)$`);

/** Counts log events, and the details that some contain about mails and queued deliveries. */
const countLog =
  (tally: Tally, formOf: (id: string) => Form | undefined): Log =>
  (level, event, fields = {}) => {
    tally.add('form_relay_log_events_total', 1, level, event);
    const form = formOf(String(fields.form));
    const name = form?.id ?? unknown;
    const [, mail, result = ''] = mailResult.exec(event) ?? [];
    if (mail !== undefined) tally.add('form_relay_visitor_mails_total', 1, name, mail, result);
    if (event !== 'kept_delivery' && event !== 'delivered_late') return;
    const isCurrent = form?.outputs[Number(fields.output)]?.type === fields.type;
    const about = isCurrent
      ? ([`${fields.output}`, String(fields.type)] as const)
      : ([unknown, unknown] as const);
    if (event === 'delivered_late') tally.add('form_relay_deliveries_total', 1, name, ...about, 'late');
    else {
      tally.add('form_relay_kept_turns_total', 1, name, ...about, String(fields.outcome));
      const { sent, ms } = fields;
      if (typeof sent !== 'number' || typeof ms !== 'number') return;
      tally.add('form_relay_delivery_tries_total', sent, name, ...about);
      tally.observe('form_relay_delivery_duration_seconds', seconds(ms), name, ...about);
    }
  };

/** A clock that is set back must not cause a negative duration. */
const seconds = (ms: number) => Math.max(0, ms) / 1_000;
