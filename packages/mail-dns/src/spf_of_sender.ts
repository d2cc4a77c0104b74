import { BlockList, isIP } from 'node:net';
import { type DnsRecord, type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import { isInbound, serviceOfHost, spfOfHost } from '@form-relay/clients/smtp/mail_services';
import type { Dns } from './dns.ts';
import { readSpf, type Spf, spfRecord, spfRecordsIn, withRecord } from './spf.ts';

export interface MailSender {
  readonly domain: string;
  /** The SMTP server that it sends through. */
  readonly host: string;
  /** Whether nobody chose the address, so that choosing another may be easier than publishing a record. */
  readonly isDefault: boolean;
}

/** Checks whether SPF lets the server send for the domain, judging by the server's name, and proposes a record that does. */
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

/** The term that allows a server in a record. Services send from many addresses, and publish a record to include. */
async function termFor(host: string, dns: Dns): Promise<string | undefined> {
  const kind = isIP(host);
  if (kind > 0) return `ip${kind}:${host}`;
  if (!serviceOfHost(host)) return `a:${host}`;
  const include = spfOfHost(host);
  // A service may have moved its record since our table was written.
  const isThere = include !== undefined && spfRecordsIn(await dns.texts(include)).length > 0;
  return isThere ? `include:${include}` : undefined;
}

interface Wanted {
  readonly term: string | undefined;
  readonly ips: readonly string[];
  readonly isAllowedBy: (spf: Spf) => boolean;
  /** Whether to assume that the servers that take the domain's mail also send for it. */
  readonly withMx: boolean;
}

/** A record that lets the server send, unless receivers would give up before its end. */
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
