import type { DoubtEvidence, Observer, StreetEvent } from '../event.ts';
import type { Form } from '../form.ts';
import { isOnlyKept, type Stands } from '../observers/only_kept.ts';
import type { Tally } from './tally.ts';

/** Stands for a form or an output that the config does not have, whatever visitors call it: labels are the config's. */
export const unknown = '(unknown)';

/** Counts what happens to submissions. */
export const observeInto =
  (tally: Tally, formOf: (id: string | undefined) => Form | undefined): Observer =>
  ({ formId }) => {
    const form = formOf(formId);
    const name = form?.id ?? unknown;
    /** By place in the form's `outputs`, each as it stands by now: one that failed may be kept after that. */
    const deliveries: Stands[] = [];
    /** An output that owes a kept delivery may be gone from the config. */
    const outputOf = (output: number, type = form?.outputs[output]?.type ?? '') =>
      form?.outputs[output]?.type === type
        ? ([name, `${output}`, type] as const)
        : ([name, unknown, unknown] as const);

    const ended = ({
      output,
      type,
      ms,
      attempts,
    }: Extract<StreetEvent, { output: number; attempts: number }>) => {
      if (attempts > 0)
        tally.observe('form_relay_delivery_duration_seconds', outputOf(output, type), seconds(ms));
    };

    return (event) => {
      switch (event.kind) {
        case 'checked': {
          const { evidence, passed } = event;
          if (!passed) tally.count('form_relay_checks_ended_total', [name, evidence.check, evidence.code]);
          if (evidence.check === 'doubt') countSignals(evidence);
          break;
        }
        case 'delivery_tried':
          tally.count('form_relay_delivery_tries_total', outputOf(event.output, event.type));
          break;
        case 'delivered':
          deliveries[event.output] = { outcome: 'delivered' };
          ended(event);
          break;
        case 'delivery_failed':
          deliveries[event.output] = { outcome: 'failed' };
          ended(event);
          break;
        case 'delivery_kept':
          deliveries[event.output] = { outcome: 'kept' };
          break;
        case 'delivery_skipped':
          deliveries[event.output] = { outcome: 'skipped' };
          break;
        case 'keep_failed':
          for (const output of event.outputs) deliveries[output] = { outcome: 'failed' };
          break;
        case 'kept_tried': {
          const { ending, output, type } = event;
          // Nobody was asked, and many may be put off at once.
          if (ending.kind === 'put_off' && ending.isUntried) break;
          tally.count('form_relay_kept_turns_total', [...outputOf(output, type), ending.kind]);
          break;
        }
        case 'mail_withheld':
          tally.count('form_relay_visitor_mails_total', [name, event.mail, event.reason]);
          break;
        case 'mail_sent':
        case 'mail_failed':
          tally.count('form_relay_visitor_mails_total', [
            name,
            event.mail,
            event.kind === 'mail_sent' ? 'sent' : 'failed',
          ]);
          break;
        case 'answered': {
          const outcome = isOnlyKept(deliveries) ? 'kept' : event.outcome.kind;
          tally.count('form_relay_submissions_total', [name, outcome]);
          tally.observe('form_relay_submission_duration_seconds', [name], seconds(event.ms));
          deliveries.forEach(({ outcome }, output) => {
            tally.count('form_relay_deliveries_total', [...outputOf(output), outcome]);
          });
          break;
        }
      }
    };

    function countSignals({ signals, silent, action }: DoubtEvidence): void {
      for (const { signal, points } of signals) {
        if (points > 0) tally.count('form_relay_signals_total', [name, signal, action ?? 'none']);
      }
      for (const { signal } of silent) tally.count('form_relay_signals_silent_total', [name, signal]);
    }
  };

/** A clock that is set back must not lead to a negative duration. */
const seconds = (ms: number) => Math.max(0, ms) / 1_000;
