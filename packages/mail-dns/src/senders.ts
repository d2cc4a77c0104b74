import { isIP } from 'node:net';
import { addressOf, bareAddress, domainOf, type Mailbox } from '@form-relay/base/address';
import { type Finding, failure, groupBy, ok, places, warning } from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import { serviceOfHost, serviceOfMailbox } from '@form-relay/clients/smtp/mail_services';
import type { CheckContext } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import { defaultSender } from '@form-relay/core/outputs/mail';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';
import { consequenceOf, type Dmarc, readDmarc } from './dmarc.ts';
import { byAsking, type Dns, publicDns } from './dns.ts';
import { carrierOf, formsOf, type MailServer, mailOutputs } from './mail_servers.ts';
import { spfOf } from './spf_of_sender.ts';

/** A sender of mails, and the server that takes its mails; without `host` that is Amazon SES. */
export interface Sender {
  readonly address: string;
  readonly domain: string;
  readonly host: string | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefault: boolean;
  /** The place in the config. */
  readonly place: string;
  /** The key or variable that corrects it. */
  readonly key: 'from' | 'MAIL_FROM_ADDRESS';
}

/** All senders of a config: of mails to owners, and to visitors. */
export function sendersOf({ config, settings: { mailFromAddress } }: CheckContext): readonly Sender[] {
  const toOwners = mailOutputs(config).flatMap(({ server, place }) =>
    senderOf({ server, from: undefined, place, mailFromAddress }),
  );
  const toVisitors = formsOf(config).flatMap((form) => visitorSenders(form, mailFromAddress));
  const each = groupBy([...toOwners, ...toVisitors], ({ address, host }) => JSON.stringify([address, host]));
  return each.map((group) => ({ ...group[0], place: places(group) }));
}

const visitorSenders = (form: Form, mailFromAddress: string | undefined): readonly Sender[] =>
  mailsOf(form).flatMap(([key, mail]) => {
    const place = formatPath(['forms', form.id, key]);
    return senderOf({ server: carrierOf(mail, form), from: mail.from, place, mailFromAddress });
  });

interface Sending extends Pick<Sender, 'place'> {
  readonly server: MailServer | undefined;
  /** Instead of what the output says. */
  readonly from: Mailbox | undefined;
  readonly mailFromAddress: string | undefined;
}

function senderOf({ server, from, mailFromAddress, place }: Sending): readonly Sender[] {
  if (!server) return [];
  const { host } = server;
  const written = from ?? server.from;
  const own = written ?? (host === undefined ? undefined : defaultSender(host));
  const address = own === undefined ? mailFromAddress && bareAddress(mailFromAddress) : addressOf(own);
  // Another check reports a missing address.
  if (!address) return [];
  return [
    {
      place,
      address,
      domain: domainOf(address),
      host,
      isDefault: written === undefined && host !== undefined,
      key: own === undefined ? 'MAIL_FROM_ADDRESS' : 'from',
    },
  ];
}

/**
 * Whether receivers will believe who the mails are from: DMARC asks that SPF or DKIM vouch for the very domain that
 * stands in From (RFC 9989). Over SMTP the envelope sender is the same address, so a pass of SPF is enough.
 */
export async function probe(context: CheckContext): Promise<readonly Finding[]> {
  const { resolver } = context;
  const looks = sendersOf(context).map((sender) => ({ sender, known: withoutDns(sender) }));
  const known = looks.flatMap(({ known }) => known ?? []);
  const open = looks.filter(({ known }) => known === undefined).map(({ sender }) => sender);
  if (open.length === 0) return known;
  const domains = [...new Set(open.map(({ domain }) => domain))].join(', ');
  const published = await byAsking(domains, async () => {
    const dns = await publicDns(resolver);
    const each = open.map((sender) => byAsking(sender.domain, () => withDns(sender, dns)));
    return (await Promise.all(each)).flat();
  });
  return [...known, ...published];
}

/** The finding that needs no DNS; `undefined` if the DNS decides. */
function withoutDns(sender: Sender): Finding | undefined {
  const { address, domain, host, isDefault, place } = sender;
  if (isDefault && host !== undefined && (isIP(host) > 0 || isLoopback(host) || !domain.includes('.'))) {
    const says = `the default sender, at this machine's name, is not a valid internet address, so few servers accept it (${place})`;
    return warning(address, says, ownAddress(sender));
  }
  const service = host === undefined ? undefined : serviceOfHost(host);
  if (isDefault && service) {
    const { name } = service;
    const says = `the default sender is at a domain of ${name}, not yours: receivers or ${name} reject it (${place})`;
    return failure(address, says, ownAddress(sender));
  }
  const owner = serviceOfMailbox(domain);
  if (owner && owner !== service) {
    const via = service?.name ?? host ?? 'Amazon SES';
    const says = `only ${owner.name} may send from ${domain}; sent through ${via}, the mail looks forged (${place})`;
    return failure(address, says, ownAddress(sender));
  }
  return undefined;
}

function ownAddress({ host, key }: Sender): string {
  if (key === 'MAIL_FROM_ADDRESS')
    return 'Set MAIL_FROM_ADDRESS to an address at your own domain, verified in Amazon SES.';
  return host === undefined
    ? `Add a \`from:\` at your own domain, verified in Amazon SES.`
    : `Add a \`from:\` that the server allows: an address at your own domain, or the account's address.`;
}

async function withDns(sender: Sender, dns: Dns): Promise<readonly Finding[]> {
  const { address, domain, host, place } = sender;
  const [hosts, addresses, dmarc] = await Promise.all([
    dns.mailHosts(domain),
    dns.addresses(domain),
    readDmarc(domain, dns),
  ]);
  if (hosts[0] === '' || (hosts.length === 0 && addresses.length === 0)) {
    const what = hosts[0] === '' ? 'accepts no mail (null MX)' : 'has neither MX nor address';
    const says = `${domain} ${what}: receivers reject senders that cannot receive replies (${place})`;
    return [failure(address, says, ownAddress(sender))];
  }
  if (host === undefined) return [forSes(sender, dmarc)];
  // Customers' SPF records do not count there.
  const hasSpf = !serviceOfHost(host)?.hasOwnEnvelope;
  const spf = hasSpf ? await spfOf({ ...sender, host }, hosts.length > 0, dns) : undefined;
  return [...(spf ? [spf] : []), forSmtp(sender, dmarc, spf?.level === 'ok')];
}

/** The server's own DKIM cannot be looked up: only its mails say under which selector it signs. */
function forSmtp(sender: Sender, dmarc: Dmarc | undefined, isAllowed: boolean): Finding {
  const { domain, host } = sender;
  if (!dmarc) return noRecord(domain);
  const subject = `DMARC of ${domain}`;
  const policy = described(dmarc, domain);
  if (isAllowed) return ok(subject, `${policy}; SPF aligns, since the envelope sender is at ${domain}, too`);
  const consequence = consequenceOf(dmarc);
  if (consequence === undefined)
    return ok(subject, `${policy}: mail is delivered even if neither SPF nor DKIM passes`);
  const unless = `unless ${host} signs with DKIM for ${domain}, receivers ${consequence}`;
  const remedy = `DKIM cannot be checked from here. Turn it on for ${domain} at ${host}, or allow that server in SPF.`;
  return warning(subject, `${policy}: ${unless}`, `${remedy} ${seeReceived}`);
}

const seeReceived = 'Then check a received mail: its header Authentication-Results should say dmarc=pass.';

/** SES sends under an envelope sender of its own; whether DKIM vouches is examined with the identity. */
function forSes({ domain }: Sender, dmarc: Dmarc | undefined): Finding {
  return dmarc ? ok(`DMARC of ${domain}`, described(dmarc, domain)) : noRecord(domain);
}

const noRecord = (domain: string): Finding => ({
  ...warning(
    `DMARC of ${domain}`,
    'there is no record; large receivers trust mail without one less',
    'Start by publishing this DNS record:',
  ),
  record: {
    name: `_dmarc.${domain}`,
    type: 'TXT',
    value: `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
  },
});

const described = ({ at, policy, isTest, strictSpf, strictDkim }: Dmarc, domain: string) =>
  [
    `p=${policy}`,
    isTest && 't=y',
    strictDkim && 'adkim=s',
    strictSpf && 'aspf=s',
    at !== domain && `from ${at}`,
  ]
    .filter(Boolean)
    .join(', ');
