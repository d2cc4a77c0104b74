import { isIP } from 'node:net';
import { bareAddress, domainOf } from '../../address.ts';
import { type Diagnosis, failure, ok, warning } from '../../diagnosis.ts';
import { addressOf } from '../../mailbox.ts';
import { serviceOfHost, serviceOfMailbox } from '../../transports/smtp/mail_services.ts';
import { isLoopback } from '../../url.ts';
import { consequence, type Dmarc, readDmarc } from './dmarc.ts';
import { byAsking, type Dns, publicDns } from './dns.ts';
import type { Examine, Setup } from './examination.ts';
import { groupBy, outputsThrough, places } from './outputs.ts';
import { readSpf } from './spf.ts';

/** Who mails are from, and the server that hands them to the world; without `host` that is Amazon SES. */
interface Sender {
  readonly address: string;
  readonly domain: string;
  readonly host: string | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefault: boolean;
  readonly place: string;
}

/**
 * Whether receivers will believe who the mails are from: DMARC asks that SPF or DKIM vouch for the very domain that
 * stands in From (RFC 9989). Over SMTP the envelope sender is the same address (D17), so a pass of SPF is enough.
 */
export const examineMailDns: Examine = async (setup, { resolver }) => {
  const senders = groupBy(sendersOf(setup), ({ address, host }) => `${address} ${host}`);
  const plain = senders.map((group) => ({ ...group[0], place: places(group) }));
  const looks = plain.map((sender) => ({ sender, known: withoutDns(sender) }));
  const known = looks.flatMap(({ known }) => known ?? []);
  const open = looks.filter(({ known }) => known === undefined).map(({ sender }) => sender);
  if (open.length === 0) return known;
  const domains = [...new Set(open.map(({ domain }) => domain))].join(', ');
  const asked = await byAsking(domains, async () => {
    const dns = await publicDns(resolver);
    const each = open.map((sender) => byAsking(sender.domain, () => withDns(sender, dns)));
    return (await Promise.all(each)).flat();
  });
  return [...known, ...asked];
};

function sendersOf({ forms, settings }: Setup): readonly Sender[] {
  const smtp = outputsThrough(forms, 'smtp').map(({ target: { host, from, isDefaultSender }, place }) => ({
    address: addressOf(from),
    domain: domainOf(addressOf(from)),
    host,
    isDefault: isDefaultSender,
    place,
  }));
  const address = settings.mailFromAddress && bareAddress(settings.mailFromAddress);
  if (!address) return smtp;
  const ses = outputsThrough(forms, 'ses').map(({ place }) => ({
    address,
    domain: domainOf(address),
    host: undefined,
    isDefault: false,
    place,
  }));
  return [...smtp, ...ses];
}

const ownAddress =
  'Give the output a `from:` that the server lets you use: an address of your own domain, or the one you log in with.';

/** What can be said without asking; `undefined`: the DNS decides. */
function withoutDns({ address, domain, host, isDefault, place }: Sender): Diagnosis | undefined {
  if (isDefault && host !== undefined && (isIP(host) > 0 || isLoopback(host) || !domain.includes('.'))) {
    const says = `the default sender at this host is not an address on the internet, so few servers accept it (${place})`;
    return warning(address, says, ownAddress);
  }
  const service = host === undefined ? undefined : serviceOfHost(host);
  if (isDefault && service) {
    const { name } = service;
    const says = `the default sender is at a domain of ${name}, not yours: receivers or ${name} refuse it (${place})`;
    return failure(address, says, ownAddress);
  }
  const owner = serviceOfMailbox(domain);
  if (owner && owner !== service) {
    const via = service?.name ?? host ?? 'Amazon SES';
    const says = `only ${owner.name} may send from ${domain}; through ${via}, receivers take it for forged (${place})`;
    return failure(address, says, ownSender(host));
  }
  return undefined;
}

const ownSender = (host: string | undefined) =>
  host === undefined
    ? 'Set MAIL_FROM_ADDRESS to an address of your own domain, verified in Amazon SES.'
    : ownAddress;

async function withDns(sender: Sender, dns: Dns): Promise<readonly Diagnosis[]> {
  const { address, domain, host, place } = sender;
  const [hosts, addresses, dmarc] = await Promise.all([
    dns.mailHosts(domain),
    dns.addresses(domain),
    readDmarc(domain, dns),
  ]);
  if (hosts[0] === '' || (hosts.length === 0 && addresses.length === 0)) {
    const what = hosts[0] === '' ? 'says that it takes no mail (null MX)' : 'has neither MX nor address';
    const says = `${domain} ${what}: receivers refuse senders that cannot be answered (${place})`;
    return [failure(address, says, sender.isDefault ? ownAddress : ownSender(host))];
  }
  if (host === undefined) return [forSes(sender, dmarc)];
  // Customers' SPF records do not count there.
  if (serviceOfHost(host)?.hasOwnEnvelope) return [forSmtp(sender, dmarc, false)];
  const spf = await spfOf(sender, host, dns);
  return [spf, forSmtp(sender, dmarc, spf.verdict === 'ok')];
}

/** Whether SPF lets the server send for the domain, as far as the addresses of its name tell. */
async function spfOf({ domain, isDefault }: Sender, host: string, dns: Dns): Promise<Diagnosis> {
  const subject = `SPF of ${domain}`;
  const read = await readSpf(domain, dns);
  if (!read.ok) {
    return failure(
      subject,
      `${read.error}; receivers count it as an error`,
      `Correct the TXT record at ${domain} that begins with v=spf1.`,
    );
  }
  const spf = read.value;
  if (!spf) {
    const says = 'there is no record: receivers cannot tell whether the mail is forged';
    const publish =
      `Publish a TXT record at ${domain} that allows the servers which send for it, such as "v=spf1 mx -all"; ` +
      `ask whoever runs ${host} what to put into it.`;
    return warning(subject, says, isDefault ? `${ownAddress} Or: ${publish}` : publish);
  }
  if (spf.allowsAll) {
    return warning(
      subject,
      'allows everybody (+all): anybody can send in your name',
      'End the record with -all or ~all.',
    );
  }
  const ips = isIP(host) ? [host] : await dns.addresses(host);
  const allowed = ips.find((ip) => spf.verdictOn(ip) === 'pass');
  if (allowed !== undefined) {
    return ok(subject, `allows ${host} (${allowed}); it may still send from other addresses`);
  }
  const verdicts = [...new Set(ips.map(spf.verdictOn))].join(', ') || 'no address';
  return warning(
    subject,
    `does not seem to allow ${host} (${verdicts} for its addresses; it may send from others)`,
    `Ask whoever runs ${host} what to add to the record, often an include: term. ${seeReceived}`,
  );
}

const seeReceived =
  'Then look at a mail that arrived: its header Authentication-Results should say dmarc=pass.';

/** DKIM cannot be looked up: only the server's mails say under which selector it signs. */
function forSmtp({ domain, host }: Sender, dmarc: Dmarc | undefined, isAllowed: boolean): Diagnosis {
  const subject = `DMARC of ${domain}`;
  if (!dmarc) return noRecord(domain);
  const policy = described(dmarc, domain);
  if (isAllowed) return ok(subject, `${policy}; SPF aligns, since the envelope sender is at ${domain}, too`);
  if (dmarc.policy === 'none')
    return ok(subject, `${policy}: mail is delivered even if neither SPF nor DKIM passes`);
  const says = `${policy}: unless ${host} signs with DKIM for ${domain}, receivers ${consequence[dmarc.policy]}`;
  const remedy = `DKIM cannot be seen from here. Switch it on for ${domain} at ${host}, or let SPF allow that server.`;
  return warning(subject, says, `${remedy} ${seeReceived}`);
}

/** SES sends under an envelope sender of its own; whether DKIM vouches is examined with the identity. */
function forSes({ domain }: Sender, dmarc: Dmarc | undefined): Diagnosis {
  return dmarc ? ok(`DMARC of ${domain}`, described(dmarc, domain)) : noRecord(domain);
}

const noRecord = (domain: string) =>
  warning(
    `DMARC of ${domain}`,
    'there is no record; large receivers trust such mail less',
    `Publish a TXT record at _dmarc.${domain}, to begin with: "v=DMARC1; p=none; rua=mailto:postmaster@${domain}".`,
  );

const described = ({ at, policy, strictSpf, strictDkim }: Dmarc, domain: string) =>
  [`p=${policy}`, strictDkim && 'adkim=s', strictSpf && 'aspf=s', at !== domain && `from ${at}`]
    .filter(Boolean)
    .join(', ');
