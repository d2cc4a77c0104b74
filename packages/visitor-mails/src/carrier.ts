/** Mail transports for mails to visitors: those of the form's outputs, or a separate one. */

import type {
  Form,
  Mailbox,
  OutputContext,
  OutputType,
  Parsed,
  Schema,
  Transport,
} from '@form-relay/core/index';
import { mailOutputs } from '@form-relay/core/outputs/mail';
import { ownMailbox } from '@form-relay/more-outputs/mail_headers';
import { plugin as oauth2Plugin } from '@form-relay/more-outputs/oauth2';
import { plugin as smtpOptionsPlugin } from '@form-relay/more-outputs/smtp_options';
import { object } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { duration, number, oneOf } from '@form-relay/schema/scalars';
import { isMap, jsonSchemaOf, optional, required, schema, withDefault } from '@form-relay/schema/schema';
import { Template } from '@form-relay/schema/template';

const mailTypes = ['smtp', 'email'] as const;

export const isMailType = (type: string): boolean => mailTypes.some((one) => one === type);

/** A transport for mails to visitors, which gets no submissions. */
export interface Carrier {
  readonly type: string;
  readonly timeout: number;
  readonly retries: number;
  readonly from: Mailbox | undefined;
  /** The config keys, for checks of the sender. */
  readonly keys: Readonly<Record<string, unknown>>;
  open(context: OutputContext): Transport;
}

const typeKey = required('Type of mail output.', oneOf(mailTypes));

const carrierKeys = {
  from: optional('The sender.', ownMailbox),
  timeout: withDefault(
    '10s',
    'Time limit for a delivery with its retries.',
    duration({ leastMs: 1, mostMs: 25_000 }),
  ),
  retries: withDefault(
    '1',
    'How many times to retry a delivery that may succeed later.',
    number({ least: 0, most: 5, whole: true }),
  ),
};

const extensions = [oauth2Plugin, smtpOptionsPlugin].flatMap(({ outputExtensions = [] }) => outputExtensions);

/** Keys that an output needs, although these mails have their own recipients and texts. */
const common = {
  on_error: 'fail',
  mapping: undefined,
  static: undefined,
  to: [],
  subject: new Template('', ''),
} as const;

const noProvided = { get: () => undefined, values: () => [] };

/** The schema of an output's keys that say how and when to send, without those for contents and recipients. */
function carrierOf(output: OutputType): Schema<Carrier> {
  const { type } = output;
  const { to: _, subject: __, ...own } = output.keys;
  const used = extensions.filter(({ types }) => types?.includes(type));
  const added = Object.assign({}, ...used.map(({ keys }) => keys));
  const read = object({ type: typeKey, ...own, ...added, ...carrierKeys }, undefined, (keys, at) =>
    output.problems?.(keys, at),
  );
  return schema(
    () => jsonSchemaOf(read),
    (value, at) => {
      const keys = read(value, at);
      if (!keys) return undefined;
      const { from, timeout, retries } = keys as Parsed<typeof carrierKeys>;
      const formContext = {
        formId: '',
        type,
        output: { ...keys, retries },
        fields: [],
        provided: noProvided,
      };
      const hooks = used.flatMap((one) => one.configure(formContext, at) ?? []);
      return {
        type,
        timeout,
        retries,
        from,
        keys,
        open: (context) =>
          hooks.reduceRight(
            (inner, { wrapTransport }) => wrapTransport?.(inner, context) ?? inner,
            output.open({ ...keys, ...common, retries, timeout }, context),
          ),
      };
    },
  );
}

const carriers = new Map<unknown, Schema<Carrier>>(mailOutputs.map((one) => [one.type, carrierOf(one)]));

const noType = object({ type: typeKey });

/** The key `through`: a separate server. */
export const throughSchema: Schema<Carrier> = schema(
  () => ({ anyOf: mailTypes.map((type) => jsonSchemaOf(carriers.get(type) ?? noType)) }),
  (value, at) => {
    if (isMap(value)) {
      const carrier = carriers.get(value.type);
      if (carrier) return carrier(value, at);
      noType({ type: value.type }, at);
      return undefined;
    }
    return at.error(`found ${shown(value, at)}; expected a map such as {type: smtp, host: mail.example.com}`);
  },
);

const opened = new WeakMap<Carrier, Transport>();

/**
 * The transport for the form's mails to visitors, which every loaded config has. Default: that of the form's
 * first output that sends mails.
 */
export function mailTransportOf(
  through: Carrier | undefined,
  { outputs }: Pick<Form, 'outputs'>,
  context: OutputContext,
) {
  if (through) {
    const transport = opened.get(through) ?? through.open(context);
    opened.set(through, transport);
    const { timeout: timeoutMs, retries } = through;
    return { transport, timeoutMs, retries, from: through.from };
  }
  const output = outputs.find(({ type }) => isMailType(type));
  if (!output?.transport) throw new Error('no output sends mail');
  const { transport, timeoutMs, retries } = output;
  return { transport, timeoutMs, retries, from: undefined };
}

export type MailTransport = ReturnType<typeof mailTransportOf>;
