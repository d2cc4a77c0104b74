import type { Form, Log, Observer, Submission } from '@form-relay/core/index';
import { outcomeInLog } from '@form-relay/core/submission';
import type { Tally } from './tally.ts';

/** The label for forms and outputs that the config does not have: visitors must not create labels. */
export const unknown = '(unknown)';

/** Counts a submission that was answered. */
export const countSubmission =
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

/** The fields of the spam score and of signatures in the log. */
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

/** Events about mails to visitors: the mail, and what became of it. */
const mailResult = new RegExp(`^(${visitorMails.join('|')})_(sent|failed)$`);

/** Counts events of the log, and what they tell of mails and kept deliveries. */
export const countLog =
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

/** A clock that is set back must not lead to a negative duration. */
const seconds = (ms: number) => Math.max(0, ms) / 1_000;
