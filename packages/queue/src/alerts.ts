/** The key `alerts` at the top of a config: outputs that alert the owner to failed deliveries. */
import type { Diagnostics, Form, TopContext } from '@form-relay/core/index';
import { mailOutputs } from '@form-relay/core/outputs/mail';
import { feature } from '@form-relay/core/plugin';
import { object } from '@form-relay/schema/collections';
import { isMap, optionalBlock, required, schema } from '@form-relay/schema/schema';

declare module '@form-relay/core/plugin' {
  interface Shared {
    alerts: Alerts;
  }
}

export interface Alerts {
  /** A form that no visitor sends: its submissions are the alerts, so that outputs of every type can send them. */
  readonly form: Form;
  /** Reports why old submissions were not removed. */
  readonly unpruned: TellUnpruned;
}

export type TellUnpruned = (reason: string) => Promise<void>;

/** The contents of an alert, as fields of a form, in reading order. */
const fields = [
  { name: 'summary' },
  { name: 'form' },
  { name: 'waiting', type: 'number', label: 'Queued deliveries' },
  { name: 'aside', type: 'number', label: 'Dead letters among them' },
  { name: 'oldest', label: 'Oldest queued' },
  { name: 'reason', type: 'textarea' },
  { name: 'what_to_do', type: 'textarea' },
  {
    name: 'event',
    type: 'select',
    options: [
      ...['kept', 'waiting', 'aside', 'keep_failed', 'delivered', 'unpruned'],
      ...['canary_failed', 'canary_passed', 'client_broken', 'client_mended'],
    ],
  },
];

/** Defaults for keys that the owner left out, if the output's type has them. */
const defaults = {
  subject: 'Form Relay: {{ .fields.summary }}',
  title: '{{ .fields.summary }}',
  text: '{{ .fields.summary }}\n\n{{ .fields.reason }}\n\n{{ .fields.what_to_do }}',
};

/** Only checks that there is a list; the outputs are read as those of the form. */
const outputs = schema<readonly unknown[]>(
  () => ({ type: 'array', items: { $ref: '#/definitions/output' }, minItems: 1 }),
  (value, at) =>
    Array.isArray(value) && value.length > 0
      ? value
      : at.error('expected a list of outputs, such as [{type: slack, url_env: SLACK_URL}]'),
);

export const alertsFeature = (unpruned: TellUnpruned) =>
  feature({
    name: 'alerts',
    keys: {
      top: {
        alerts: optionalBlock(
          'Alerts you when deliveries are queued and when all have been delivered (docs/alerts.md), and when tests of a form fail and pass again (docs/canary.md). Alerts never contain submitted values.',
          object(
            {
              outputs: required('Recipients: outputs of any type, as in a form.', outputs),
            },
            '{outputs: [{type: slack, url_env: SLACK_URL}]}',
          ),
          { aliases: ['alert', 'alerting', 'monitoring'] },
        ),
      },
    },
    configureTop: (top, at, context) => {
      const { alerts } = top;
      if (!alerts?.outputs) return undefined;
      const isUsed =
        context.forms.size === 0 ||
        at.fromTop('archive').written !== undefined ||
        [...context.forms.values()].some(({ keep, archive, canary }) => keep ?? archive ?? canary);
      if (!isUsed)
        at.in('alerts').warning(
          'no alert is ever sent, because no form queues deliveries; add keep: failed or keep: always to a form',
        );
      const form = formOf(alerts.outputs, at.in('alerts'), context);
      return form && { form, unpruned };
    },
    configure: () => undefined,
  });

function formOf(
  written: readonly unknown[],
  at: Diagnostics,
  { outputTypes, compile }: TopContext,
): Form | undefined {
  const complete = (output: unknown) => {
    if (!isMap(output)) return output;
    const type = outputTypes.get(String(output.type));
    if (!type) return output;
    // The `text` of mails comes from another plug-in, which is loaded for configs with alerts.
    const isMail = mailOutputs.some((mail) => mail.type === output.type);
    const absent = Object.entries(defaults).filter(
      ([key]) => (key in type.keys || (key === 'text' && isMail)) && !isWritten(output, key),
    );
    const whole = { ...output, ...Object.fromEntries(absent) };
    const hasWords = [output.mapping, output.body, whole.text].some(
      (one) => (one ?? undefined) !== undefined,
    );
    return hasWords ? whole : { ...whole, mapping: '*' };
  };
  return compile('alerts', { fields, outputs: written.map(complete) }, at);
}

/** Whether the owner wrote a key. For `text` of a mail, other content counts, too, because a text would replace it. */
const isWritten = (output: Readonly<Record<string, unknown>>, key: string): boolean =>
  (output[key] ?? undefined) !== undefined ||
  (key === 'text' &&
    [output.html, output.mapping, output.static].some((one) => (one ?? undefined) !== undefined));
