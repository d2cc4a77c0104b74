import { relayWith, smtpSink } from '../../../../test/support/index.ts';
import type { LogEvent, TestRelayOptions } from '../../../../test/support/relay.ts';
import type { SmtpSinkOptions } from '../../../../test/support/smtp_sink.ts';
import { indented } from './newsletter.ts';

interface ShopOptions extends Omit<TestRelayOptions, 'config'> {
  /** Keys of `confirmation_mail`, in YAML. */
  readonly keys?: string;
  /** Keys of the form, one per line. */
  readonly formKeys?: string;
  /** An additional field. */
  readonly fields?: string;
  /** Keys of the output that sends the mail. */
  readonly outputKeys?: string;
  readonly sink?: SmtpSinkOptions;
}

/** A form with a text, a choice and an address, which sends a mail to its owner and one to its visitor. */
export async function openShop({
  keys = '',
  formKeys = '',
  fields = '',
  outputKeys = '',
  sink: sinkOptions,
  ...options
}: ShopOptions = {}) {
  const sink = await smtpSink(sinkOptions);
  const relay = await relayWith({
    ...options,
    config: `
forms:
  order:
    title: Seed shop
    fields:
      - {name: name}
      - {name: email, type: email}
      - {name: parcel, type: select, options: [small, large]}
      ${fields && `- ${fields}`}
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${sink.port}, from: Seeds <shop@seeds.example>, to: office@seeds.example, mapping: "*"${outputKeys}}
    confirmation_mail:
      to: email
      subject: Your {{ .fields.parcel }} parcel
      text: Thank you. We pack it tomorrow.
${indented(keys, 6)}
${indented(formKeys, 4)}
`,
  });
  const order = async (values = {}, headers = {}) => {
    const sent = { name: 'Ada', email: 'ada@visitor.example', parcel: 'small', ...values };
    const answer = await relay.submit('order', Object.entries(sent), headers);
    const id = answer.headers.get('x-request-id');
    const hasEnded = ({ request_id, event, confirmation_mail, outcome }: LogEvent) =>
      request_id === id &&
      (/^confirmation_mail_(sent|failed)$/.test(event) ||
        confirmation_mail !== undefined ||
        (event === 'submission' && outcome !== 'delivered'));
    await expect.poll(() => relay.logged.some(hasEnded), { timeout: 20_000 }).toBe(true);
    return answer;
  };
  return {
    ...relay,
    sink,
    /** Sends an order, and waits until everything after the response has ended. */
    order,
    /** The mails to visitors. */
    get confirmations() {
      return sink.mails.filter(isAutoReply);
    },
  };
}

/** Whether a mail is for a visitor. */
export const isAutoReply = ({ raw }: { readonly raw: string }): boolean =>
  /^Auto-Submitted: auto-replied\r?$/m.test(raw);
