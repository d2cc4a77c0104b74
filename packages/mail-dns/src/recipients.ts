import { addressOf, domainOf, mailboxParts, parseMailbox } from '@form-relay/base/address';
import { type Finding, failure, groupBy, ok, places } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { byAsking, type Dns, publicDns } from './dns.ts';
import { mailOutputs } from './mail_servers.ts';

/** Whether the domains of the recipients that the owner wrote, here or in the environment, take mail. */
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
      'does not render as addresses like name@example.com or Name <name@example.com>',
      'Correct the variable that it reads.',
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
  if (first === '') return [failure(domain, `takes no mail at all: it has a null MX (${places})`, remedy)];
  if (first !== undefined) return [ok(domain, `takes mail at ${first}`)];
  // RFC 5321, 5.1: without MX, the domain itself is the mail server.
  return [
    addresses.length > 0
      ? ok(domain, 'has no MX; its own address is tried')
      : failure(domain, `has neither MX nor address: mail to it cannot arrive (${places})`, remedy),
  ];
}
