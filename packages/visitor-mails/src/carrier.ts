/** Servers that carry mails to visitors: those of the form's outputs, or one that does nothing else. */
import type { Form, Properties, Schema, Transport } from '@form-relay/core/index';
import {
  compileOutput,
  duration,
  isMap,
  jsonSchemaOf,
  mailOutputs,
  number,
  object,
  oneOf,
  optional,
  required,
  schema,
  shown,
  template,
  withDefault,
} from '@form-relay/core/kit';
import type { OutputContext, OutputType } from '@form-relay/core/outputs/output';
import type { OutputExtension, OutputHooks } from '@form-relay/core/plugin';
import type { Mailbox } from '@form-relay/core/services';
import { plugin as oauth2Plugin } from '@form-relay/more-outputs/oauth2';
import { plugin as sesOptionsPlugin } from '@form-relay/more-outputs/ses_options';
import { plugin as smtpOptionsPlugin } from '@form-relay/more-outputs/smtp_options';
import { ownMailbox } from './own_mailbox.ts';

const mailTypes = ['smtp', 'email'] as const;
type MailType = (typeof mailTypes)[number];

export const isMailType = (type: string): boolean => mailTypes.some((one) => one === type);

/** A server that carries mails to visitors, and gets no submissions. */
export interface Carrier {
  readonly type: string;
  readonly timeout: number;
  readonly retries: number;
  readonly from: Mailbox | undefined;
  /** Its keys, for those who look at what it sends from. */
  readonly keys: Readonly<Record<string, unknown>>;
  open(context: OutputContext): Transport | undefined;
}

const typeKey = required('The type of the output that sends mails in this way.', oneOf(mailTypes));

const extensions = [oauth2Plugin, smtpOptionsPlugin, sesOptionsPlugin].flatMap(
  ({ outputExtensions = [] }) => outputExtensions,
);

const extensionsOf = (type: MailType): readonly OutputExtension[] =>
  extensions.filter(({ types }) => types?.includes(type));

/** Keys that say how and when to send, and not what to whom. */
function keysOf(type: MailType): Properties {
  const { to: _, subject: __, ...own } = typeOf(type).keys;
  return {
    type: typeKey,
    ...own,
    ...Object.assign({}, ...extensionsOf(type).map(({ keys }) => keys)),
    from: optional('Who the mails are from.', ownMailbox),
    timeout: withDefault(
      '10s',
      'How long a delivery may take, with its retries.',
      duration({ leastMs: 1, mostMs: 25_000 }),
    ),
    retries: withDefault(
      '1',
      'How many more times a delivery is tried when another try may succeed.',
      number({ least: 0, most: 5, whole: true }),
    ),
  };
}

function typeOf(type: MailType): OutputType {
  const found = mailOutputs.find((one) => one.type === type);
  if (!found) throw new Error(`there is no output type ${type}`);
  return found;
}

/** All common keys of a mail that has recipients and words of its own. */
const common = { on_error: 'fail', mapping: undefined, static: undefined } as const;

const emptySubject = template();

const carrierOfType = (type: MailType): Schema<Carrier> => {
  const read = object(keysOf(type), undefined, (keys, at) => typeOf(type).problems?.(keys, at));
  return schema(
    () => jsonSchemaOf(read),
    (value, at) => {
      const keys = read(value, at);
      if (!keys) return undefined;
      const from =
        isMap(value) && value.from !== undefined ? ownMailbox(value.from, at.in('from')) : undefined;
      const hooks = extensionsOf(type).flatMap((one): OutputHooks | [] => {
        const asked = { ...keys, retries: Number(keys.retries) };
        return one.configure({ formId: '', type, output: asked, fields: [], provided: noProvided }, at) ?? [];
      });
      const timeout = Number(keys.timeout);
      const retries = Number(keys.retries);
      return {
        type,
        timeout,
        retries,
        from,
        keys,
        open: (context) =>
          compileOutput(
            {
              ...keys,
              ...common,
              type,
              retries,
              to: [],
              subject: emptySubject('', at),
              templates: [],
              reads: [],
              sendsOfItself: true,
              isArchive: false,
              open: (opened) =>
                typeOf(type).open(
                  { ...keys, ...common, retries, to: [], subject: emptySubject('', at) },
                  opened,
                ),
            },
            [],
            hooks,
            context,
          ).transport,
      };
    },
  );
};

const noProvided = { get: () => undefined, values: () => [] };

const carriers = new Map<string, Schema<Carrier>>();

function carrier(type: MailType): Schema<Carrier> {
  const known = carriers.get(type) ?? carrierOfType(type);
  carriers.set(type, known);
  return known;
}

const noType = object({ type: typeKey });

/** The place of an output, as the log and all messages count it, from 0; or a server of its own. */
export const throughSchema: Schema<number | Carrier> = schema(
  () => ({
    anyOf: [
      { title: 'number', type: ['integer', 'string'], minimum: 0 },
      ...mailTypes.map((type) => jsonSchemaOf(carrier(type))),
    ],
  }),
  (value, at) => {
    if (isMap(value)) {
      const type = mailTypes.find((one) => one === value.type);
      if (type) return carrier(type)(value, at);
      noType({ type: value.type }, at);
      return undefined;
    }
    return typeof value === 'string' && /^\d{1,4}$/.test(value)
      ? Number(value)
      : at.error(
          `found ${shown(value, at)}; expected the place of an output, from 0, or a map such as {type: smtp, host: mail.example.com}`,
        );
  },
);

export interface Way {
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly host: string;
  /** Whom a server of its own sends for. */
  readonly from?: Mailbox | undefined;
}

const opened = new WeakMap<Carrier, Transport>();

/** Every config that loads has one. Default: that of the form's first output that sends mails. */
export function wayOf(
  through: number | Carrier | undefined,
  { outputs }: Pick<Form, 'outputs'>,
  context: OutputContext,
): Way {
  if (typeof through === 'object') {
    const transport = opened.get(through) ?? through.open(context);
    if (!transport) throw new Error('a server for mails has no transport');
    opened.set(through, transport);
    const { timeout: timeoutMs, retries, type } = through;
    return { transport, timeoutMs, retries, host: transport.host ?? type, from: through.from };
  }
  const output = through === undefined ? outputs.find(({ type }) => isMailType(type)) : outputs[through];
  if (!output?.transport) throw new Error('no output carries a mail');
  const { transport, timeoutMs, retries, type } = output;
  return { transport, timeoutMs, retries, host: transport.host ?? type };
}
