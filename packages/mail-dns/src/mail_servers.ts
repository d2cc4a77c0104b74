/** The servers through which a config sends mails: those of its outputs, and those used only for mails to visitors. */
import { addressOf, domainOf, type Mailbox, mailboxParts, parseMailbox } from '@form-relay/base/address';
import { type Finding, failure, groupBy, ok, places, probeEach } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { type Config, outputsOf } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import { type Protocol, templateContext } from '@form-relay/core/outputs/delivery';
import type { Template } from '@form-relay/schema/template';
import { isMailType, mailTransportOf } from '@form-relay/visitor-mails/carrier';
import { mailsOf, type SentMail } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';
import { byAsking, type Dns, publicDns } from './dns.ts';

/** The keys that say how a server sends, and from which address. */
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

/** The server that sends a mail to a visitor. */
export function carrierOf({ through }: SentMail, { outputs }: Form): MailServer | undefined {
  if (through) return { ...through.keys, from: through.from };
  return outputs.find(({ type }) => isMailType(type)) as MailServer | undefined;
}

/** Tests the servers that are used only for mails to visitors. */
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
  // Another check reports malformed values.
  if (services.env(name)) return [];
  return [
    failure(
      name,
      `not set; every mail of ${places(all)} fails without it`,
      'Set it to an address that is verified in Amazon SES, such as forms@example.com.',
    ),
  ];
}

/**
 * Checks whether the domains of the recipients accept mail. Takes only recipients that the owner wrote in the
 * config or in the environment.
 */
export async function probe({ config, services, resolver }: CheckContext): Promise<readonly Finding[]> {
  const context = templateContext('', new Map(), 0, services);
  const parts = mailOutputs(config).flatMap(({ server: { to, cc = [], bcc = [] }, place }) =>
    Object.entries({ to, cc, bcc }).flatMap(([key, templates]) =>
      templates
        .filter(({ isSubmitted }) => !isSubmitted)
        .map((part) => ({ place: `${place}.${key}`, text: part.render(context) })),
    ),
  );
  const mailboxes = parts.flatMap(({ text, place }) =>
    mailboxParts(text).map((part) => ({ place, mailbox: parseMailbox(part) })),
  );
  const wrong = mailboxes.filter(({ mailbox }) => mailbox === undefined);
  const domains = groupBy(
    mailboxes.flatMap(({ mailbox, place }) =>
      mailbox === undefined ? [] : [{ place, domain: domainOf(addressOf(mailbox)) }],
    ),
    ({ domain }) => domain,
  );
  const broken = wrong.map(({ place }) =>
    failure(
      place,
      'does not render to addresses like name@example.com or Name <name@example.com>',
      'Correct the environment variable that this key names.',
    ),
  );
  if (domains.length === 0) return broken;
  const all = domains.map(([{ domain }]) => domain).join(', ');
  const unreachable = await byAsking(all, async () => {
    const dns = await publicDns(resolver);
    const each = domains.map((uses) =>
      byAsking(uses[0].domain, () => lookAt(uses[0].domain, places(uses), dns)),
    );
    return (await Promise.all(each)).flat();
  });
  return [...broken, ...unreachable];
}

async function lookAt(domain: string, places: string, dns: Dns): Promise<readonly Finding[]> {
  const [hosts, addresses] = await Promise.all([dns.mailHosts(domain), dns.addresses(domain)]);
  const remedy = 'Check the spelling of the address: every mail to it is lost.';
  const [first] = hosts;
  if (first === '') return [failure(domain, `accepts no mail: it has a null MX (${places})`, remedy)];
  if (first !== undefined) return [ok(domain, `accepts mail at ${first}`)];
  // RFC 5321, 5.1: without an MX record, the domain itself is the mail server.
  return [
    addresses.length > 0
      ? ok(domain, 'has no MX; the relay uses its address record')
      : failure(domain, `has neither MX nor address: mail to it cannot arrive (${places})`, remedy),
  ];
}
