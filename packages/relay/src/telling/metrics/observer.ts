import type { DoubtEvidence, Observer, StreetEvent } from '../../base/event.ts';
import type { Form } from '../../form.ts';
import { type DeliveryFields, isOnlyKept } from '../log.ts';
import type { Tally } from './tally.ts';

/** The label for forms and outputs that the config does not have: visitors must not create labels. */
export const unknown = '(unknown)';

export const observeInto =
  (tally: Tally, formOf: (id: string | undefined) => Form | undefined): Observer =>
  ({ formId }) => {
    const form = formOf(formId);
    const name = form?.id ?? unknown;
    /** By index in the form's `outputs`, the latest state: a failed delivery may be kept after that. */
    const deliveries: Stands[] = new Array(form?.outputs.length ?? 0);

    return (event) => {
      switch (event.kind) {
        case 'checked': {
          const { evidence, passed } = event;
          if (!passed) tally.add('form_relay_checks_ended_total', 1, name, evidence.check, evidence.code);
          if (evidence.check === 'doubt') countSignals(tally, name, evidence);
          break;
        }
        case 'delivery_tried':
          tally.add('form_relay_delivery_tries_total', 1, name, placeOf(form, event), typeOf(form, event));
          break;
        case 'delivered':
          deliveries[event.output] = delivered;
          ended(tally, form, event);
          break;
        case 'delivery_failed':
          deliveries[event.output] = failed;
          ended(tally, form, event);
          break;
        case 'delivery_kept':
          deliveries[event.output] = kept;
          break;
        case 'delivery_skipped':
          deliveries[event.output] = skipped;
          break;
        case 'keep_failed':
          for (const output of event.outputs) deliveries[output] = failed;
          break;
        case 'kept_tried': {
          const { ending } = event;
          // Nothing was sent, and many may be put off at once.
          if (ending.kind === 'put_off' && ending.isUntried) break;
          tally.add(
            'form_relay_kept_turns_total',
            1,
            name,
            placeOf(form, event),
            typeOf(form, event),
            ending.kind,
          );
          break;
        }
        case 'mail_withheld':
          tally.add('form_relay_visitor_mails_total', 1, name, event.mail, event.reason);
          break;
        case 'mail_sent':
        case 'mail_failed':
          tally.add(
            'form_relay_visitor_mails_total',
            1,
            name,
            event.mail,
            event.kind === 'mail_sent' ? 'sent' : 'failed',
          );
          break;
        case 'answered': {
          const outcome = isOnlyKept(deliveries) ? 'kept' : event.outcome.kind;
          tally.add('form_relay_submissions_total', 1, name, outcome);
          tally.observe('form_relay_submission_duration_seconds', seconds(event.ms), name);
          deliveries.forEach(({ outcome }, output) => {
            const type = form?.outputs[output]?.type ?? unknown;
            tally.add(
              'form_relay_deliveries_total',
              1,
              name,
              type === unknown ? unknown : `${output}`,
              type,
              outcome,
            );
          });
          break;
        }
      }
    };
  };

const delivered: Stands = { outcome: 'delivered' };
const failed: Stands = { outcome: 'failed' };
const kept: Stands = { outcome: 'kept' };
const skipped: Stands = { outcome: 'skipped' };

type Stands = Pick<DeliveryFields, 'outcome'>;

type OfOutput = Extract<StreetEvent, { output: number }>;

/** The output of a kept delivery may be gone from the config. */
const isCurrent = (form: Form | undefined, { output, type }: OfOutput) =>
  form?.outputs[output]?.type === type;
const placeOf = (form: Form | undefined, event: OfOutput) =>
  isCurrent(form, event) ? `${event.output}` : unknown;
const typeOf = (form: Form | undefined, event: OfOutput) => (isCurrent(form, event) ? event.type : unknown);

function ended(
  tally: Tally,
  form: Form | undefined,
  event: Extract<StreetEvent, { output: number; attempts: number }>,
): void {
  if (event.attempts === 0) return;
  tally.observe(
    'form_relay_delivery_duration_seconds',
    seconds(event.ms),
    form?.id ?? unknown,
    placeOf(form, event),
    typeOf(form, event),
  );
}

function countSignals(tally: Tally, form: string, { signals, silent, action }: DoubtEvidence): void {
  for (const { signal, points } of signals) {
    if (points > 0) tally.add('form_relay_signals_total', 1, form, signal, action ?? 'none');
  }
  for (const { signal } of silent) tally.add('form_relay_signals_silent_total', 1, form, signal);
}

/** A clock that is set back must not lead to a negative duration. */
const seconds = (ms: number) => Math.max(0, ms) / 1_000;
