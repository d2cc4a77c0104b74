/** The servers that take the mails of a config: those of its outputs, and those that only carry mails to visitors. */
import type { Mailbox } from '@form-relay/base/address';
import { type Finding, failure, ok, places, probeEach } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { type Config, outputsOf } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { Protocol } from '@form-relay/core/outputs/delivery';
import type { Template } from '@form-relay/schema/template';
import { isMailType, mailTransportOf } from '@form-relay/visitor-mails/carrier';
import { mailsOf, type SentMail } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';

/** The keys that say how and from whom it sends. */
export interface MailServer {
  /** Absent: Amazon SES. */
  readonly host?: string | undefined;
  readonly from?: Mailbox | undefined;
}

export interface MailOutput extends MailServer {
  readonly to: readonly Template[];
  readonly cc?: readonly Template[] | undefined;
  readonly bcc?: readonly Template[] | undefined;
}

interface Placed<T> {
  readonly server: T;
  readonly place: string;
}

export const formsOf = (config: Config | undefined): readonly Form[] => [...(config?.forms.values() ?? [])];

/** The outputs that send mails. */
export const mailOutputs = (config: Config | undefined): readonly Placed<MailOutput>[] =>
  (config ? outputsOf(config) : [])
    .filter(({ output }) => isMailType(output.type))
    .map(({ output, path }) => ({
      server: output as typeof output & MailOutput,
      place: formatPath(path),
    }));

/** The server that carries a mail to a visitor. */
export function carrierOf({ through }: SentMail, { outputs }: Form): MailServer | undefined {
  if (through) return { ...through.keys, from: through.from };
  return outputs.find(({ type }) => isMailType(type)) as MailServer | undefined;
}

/** Tests the servers that only carry mails to visitors. */
export const probeCarriers =
  (protocol: Protocol) =>
  ({ config, services, settings, signal, writes }: CheckContext): Promise<readonly Finding[]> => {
    const { mailFromAddress } = settings;
    const carriers = formsOf(config).flatMap((form) => {
      const about = { ...form, title: undefined, locale: form.locale(undefined) };
      return mailsOf(form).flatMap(([key, { through }]) => {
        if (!through) return [];
        const { transport } = mailTransportOf(through, form, { services, mailFromAddress, form: about });
        const { probe, target = '' } = transport;
        const place = formatPath(['forms', form.id, key, 'through']);
        return probe && transport.protocol === protocol
          ? [{ place, subject: target, remedy: '', probe }]
          : [];
      });
    });
    return probeEach(carriers, { signal, timeoutMs: 8_000, writes });
  };

/** The sender of mails that do not name one. */
export async function probeSender({ config, settings, services }: CheckContext): Promise<readonly Finding[]> {
  const name = 'MAIL_FROM_ADDRESS';
  const toOwners = mailOutputs(config).filter(({ server: { host, from } }) => !host && !from);
  const toVisitors = formsOf(config).flatMap((form) =>
    mailsOf(form).flatMap(([key, mail]) => {
      const carrier = mail.from === undefined ? carrierOf(mail, form) : undefined;
      return carrier && !carrier.host && !carrier.from
        ? [{ place: formatPath(['forms', form.id, key]) }]
        : [];
    }),
  );
  const all = [...toOwners, ...toVisitors];
  if (all.length === 0) return [];
  const { mailFromAddress } = settings;
  if (mailFromAddress !== undefined) return [ok(name, mailFromAddress)];
  // Another check reports a malformed value.
  if (services.env(name)) return [];
  return [
    failure(
      name,
      `not set; every mail of ${places(all)} fails without it`,
      'Set it to an address that is verified in Amazon SES, such as forms@example.com.',
    ),
  ];
}
