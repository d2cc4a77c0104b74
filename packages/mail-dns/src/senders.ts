import { BlockList, isIP } from 'node:net';
import { addressOf, bareAddress, domainOf, type Mailbox } from '@form-relay/base/address';
import {
  type DnsRecord,
  type Finding,
  failure,
  groupBy,
  ok,
  places,
  warning,
} from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import {
  isInbound,
  serviceOfHost,
  serviceOfMailbox,
  spfOfHost,
} from '@form-relay/clients/smtp/mail_services';
import type { CheckContext } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import { defaultSender } from '@form-relay/core/outputs/mail';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';
import { consequenceOf, type Dmarc, readDmarc } from './dmarc.ts';
import { byAsking, type Dns, publicDns } from './dns.ts';
import { carrierOf, formsOf, type MailServer, mailOutputs } from './mail_servers.ts';
import { readSpf, type Spf, spfRecord, spfRecordsIn, withRecord } from './spf.ts';

/** A sender of mails, and the server through which the mails are sent. Without `host`, that is Amazon SES. */
export interface Sender {
  readonly address: string;
  readonly domain: string;
  readonly host: string | undefined;
  /** Whether it is `relay@<host>`, because no `from` is given. */
  readonly isDefault: boolean;
  /** The sender's place in the config. */
  readonly place: string;
  /** The key or variable to correct. */
  readonly key: 'from' | 'MAIL_FROM_ADDRESS';
}

/** All senders of a config, for mails to owners and to visitors. */
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
  /** Replaces the output's own sender. */
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
 * Checks whether receivers will trust the sender. DMARC requires that SPF or DKIM pass for the domain in From
 * (RFC 9989). Over SMTP, the envelope sender is the same address, so an SPF pass is enough.
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

/** The finding that needs no DNS lookup; `undefined` if one is needed. */
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
  // Customers' SPF records do not count for this service.
  const hasSpf = !serviceOfHost(host)?.hasOwnEnvelope;
  const spf = hasSpf ? await spfOf({ ...sender, host }, hosts.length > 0, dns) : undefined;
  return [...(spf ? [spf] : []), forSmtp(sender, dmarc, spf?.level === 'ok')];
}

/** The server's own DKIM record cannot be looked up: only its mails say which selector it uses. */
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

/** SES uses its own envelope sender. Another check of the identity tells whether DKIM passes. */
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

export interface MailSender {
  readonly domain: string;
  /** The SMTP server through which the mail is sent. */
  readonly host: string;
  /** Whether the address is only a default, so that another address may be easier than a new record. */
  readonly isDefault: boolean;
}

/** Checks whether SPF lets the server send for the domain, judging by the server's name. If not, proposes a record. */
export async function spfOf(sender: MailSender, hasMx: boolean, dns: Dns): Promise<Finding> {
  const { domain, host, isDefault } = sender;
  const subject = `SPF of ${domain}`;
  const service = serviceOfHost(host);
  const [records, term, ips] = await Promise.all([
    dns.texts(domain).then(spfRecordsIn),
    termFor(host, dns),
    isIP(host) ? [host] : dns.addresses(host),
  ]);
  const read = await readSpf(domain, ips, dns);
  const isDirect = isInbound(host);
  const isInside =
    isDirect || isLoopback(host) || !/[.:]/.test(host) || (ips.length > 0 && ips.every(isPrivate));
  const include = isDirect ? undefined : spfOfHost(host);
  const itsAddress = publicAddress(isDirect ? 'the relay' : 'this server');
  const includesIt = ({ included }: Spf) => include !== undefined && included.has(include);
  const isAllowedBy = (spf: Spf) => includesIt(spf) || spf.allowed !== undefined;
  const wanted = { term: isInside ? undefined : term, ips, isAllowedBy, withMx: hasMx && !service };
  const record = await betterRecord(domain, records, wanted, dns);
  const ask = `Ask the operator of ${host} what`;
  if (!read.ok) {
    const says = `${read.error}; receivers treat this as an error`;
    return record
      ? { ...failure(subject, says, 'Keep only this record:'), record }
      : failure(subject, says, `Correct the TXT record at ${domain} that starts with v=spf1.`);
  }
  const spf = read.value;
  if (!spf) {
    const says = 'there is no record: receivers cannot tell whether mail is forged';
    const elsewhere = isDefault ? 'Add a `from:` at your own domain to the output. Or: ' : '';
    if (isInside)
      return warning(subject, says, `${elsewhere}Publish a TXT record at ${domain}. ${itsAddress}`);
    if (!record) return warning(subject, says, `${elsewhere}${ask} to put into one, and publish it.`);
    const remedy = `${elsewhere}Publish this DNS record, and add all other senders of ${domain} before its last term:`;
    return { ...warning(subject, says, remedy), record };
  }
  if (spf.allowsAll) {
    const says = 'allows every server (+all): anyone can send in your name';
    return record
      ? { ...warning(subject, says, 'Replace the record with:'), record }
      : warning(subject, says, 'End the record with -all or ~all.');
  }
  if (includesIt(spf)) {
    return ok(subject, `allows the servers of ${service?.name} (${include})`);
  }
  if (isInside) {
    const says = isDirect
      ? `exists; unclear whether it allows this machine, which sends mail to ${host} without a login`
      : `exists; unclear whether it allows ${host}, which sends from another address`;
    return warning(subject, says, itsAddress);
  }
  if (spf.allowed !== undefined) {
    const others = spf.errorForOthers === undefined ? '' : `; for all others, ${spf.errorForOthers}`;
    return ok(subject, `allows ${host} (${spf.allowed}); it may still send from other addresses${others}`);
  }
  const verdicts = [...new Set(spf.verdicts)].join(', ') || 'no address';
  const says = `does not seem to allow ${host} (${verdicts} for its addresses; it may send from others)`;
  return record
    ? { ...warning(subject, says, 'Replace the record with this one, which allows it:'), record }
    : warning(subject, says, `${ask} to add to the record, often an include: term.`);
}

const publicAddress = (whose: string) =>
  `The record must allow the public address that ${whose} sends from, such as "v=spf1 mx ip4:192.0.2.1 ~all".`;

/** Addresses that receivers never see: private (RFC 1918, RFC 4193), loopback and link-local. */
const inside = new BlockList();
for (const [network, length] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  inside.addSubnet(network, length, isIP(network) === 6 ? 'ipv6' : 'ipv4');
}
const isPrivate = (ip: string) => inside.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** The SPF term that allows a server. Services send from many addresses, and publish a record to include. */
async function termFor(host: string, dns: Dns): Promise<string | undefined> {
  const kind = isIP(host);
  if (kind > 0) return `ip${kind}:${host}`;
  if (!serviceOfHost(host)) return `a:${host}`;
  const include = spfOfHost(host);
  // A service may have moved its record since this table was written.
  const isThere = include !== undefined && spfRecordsIn(await dns.texts(include)).length > 0;
  return isThere ? `include:${include}` : undefined;
}

interface Wanted {
  readonly term: string | undefined;
  readonly ips: readonly string[];
  readonly isAllowedBy: (spf: Spf) => boolean;
  /** Whether to assume that the domain's MX servers also send for it. */
  readonly withMx: boolean;
}

/** A record that lets the server send, unless receivers would stop reading before its end. */
async function betterRecord(
  domain: string,
  records: readonly string[],
  { term, ips, isAllowedBy, withMx }: Wanted,
  dns: Dns,
): Promise<DnsRecord | undefined> {
  const value = spfRecord(records.length === 0 && withMx ? ['v=spf1 mx'] : records, term);
  const read = await withRecord(domain, value, ips, dns);
  const isBetter = read.ok && read.value && (records.length > 1 || isAllowedBy(read.value));
  return isBetter ? { name: domain, type: 'TXT', value } : undefined;
}
