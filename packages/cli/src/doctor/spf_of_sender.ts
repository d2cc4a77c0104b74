import { BlockList, isIP } from 'node:net';
import { type Diagnosis, type DnsRecord, failure, ok, warning } from '@form-relay/relay/base/diagnosis';
import { isLoopback } from '@form-relay/relay/base/url';
import { isInbound, serviceOfHost, spfOfHost } from '@form-relay/relay/transports/smtp/mail_services';
import type { Dns } from './dns.ts';
import type { Sender } from './senders.ts';
import { readSpf, type Spf, spfRecordsIn } from './spf.ts';
import { spfRecord, withRecord } from './spf_record.ts';

interface SmtpSender extends Sender {
  readonly host: string;
}

/** Whether SPF lets the server send for the domain, as far as its name tells; and the record that would. */
export async function spfOf(sender: SmtpSender, hasMx: boolean, dns: Dns): Promise<Diagnosis> {
  const { domain, host, isDefault } = sender;
  const subject = `SPF of ${domain}`;
  const service = serviceOfHost(host);
  const [records, term, read, ips] = await Promise.all([
    dns.texts(domain).then(spfRecordsIn),
    termFor(host, dns),
    readSpf(domain, dns),
    isIP(host) ? [host] : dns.addresses(host),
  ]);
  const isDirect = isInbound(host);
  const isInside =
    isDirect || isLoopback(host) || !/[.:]/.test(host) || (ips.length > 0 && ips.every(isPrivate));
  const include = isDirect ? undefined : spfOfHost(host);
  const itsAddress = publicAddress(isDirect ? 'the relay' : 'this server');
  const includesIt = ({ included }: Spf) => include !== undefined && included.has(include);
  const isAllowedBy = (spf: Spf) => includesIt(spf) || ips.some((ip) => spf.verdictOn(ip) === 'pass');
  const wanted = { term: isInside ? undefined : term, isAllowedBy, withMx: hasMx && !service };
  const record = await better(domain, records, wanted, dns);
  const ask = `Ask whoever runs ${host} what`;
  if (!read.ok) {
    const says = `${read.error}; receivers count it as an error`;
    return record
      ? { ...failure(subject, says, 'Leave this record there alone:'), record }
      : failure(subject, says, `Correct the TXT record at ${domain} that begins with v=spf1.`);
  }
  const spf = read.value;
  if (!spf) {
    const says = 'there is no record: receivers cannot tell whether the mail is forged';
    const elsewhere = isDefault ? 'Give the output a `from:` at a domain of yours. Or: ' : '';
    if (isInside)
      return warning(subject, says, `${elsewhere}Publish a TXT record at ${domain}. ${itsAddress}`);
    if (!record) return warning(subject, says, `${elsewhere}${ask} to put into one, and publish it.`);
    const remedy = `${elsewhere}Publish this record in the DNS, with all others that send for ${domain} before its end:`;
    return { ...warning(subject, says, remedy), record };
  }
  if (spf.allowsAll) {
    const says = 'allows everybody (+all): anybody can send in your name';
    return record
      ? { ...warning(subject, says, 'Replace it by this record:'), record }
      : warning(subject, says, 'End the record with -all or ~all.');
  }
  if (includesIt(spf)) {
    return ok(subject, `allows the servers of ${service?.name} (${include})`);
  }
  if (isInside) {
    const says = isDirect
      ? `is there; whether it allows this machine cannot be seen, which hands mail to ${host} without a login`
      : `is there; whether it allows ${host} cannot be seen, since it sends from another address`;
    return warning(subject, says, itsAddress);
  }
  const allowed = ips.find((ip) => spf.verdictOn(ip) === 'pass');
  if (allowed !== undefined) {
    return ok(subject, `allows ${host} (${allowed}); it may still send from other addresses`);
  }
  const verdicts = [...new Set(ips.map(spf.verdictOn))].join(', ') || 'no address';
  const says = `does not seem to allow ${host} (${verdicts} for its addresses; it may send from others)`;
  return record
    ? { ...warning(subject, says, 'Replace it by this record, which allows it:'), record }
    : warning(subject, says, `${ask} to add to the record, often an include: term.`);
}

const publicAddress = (whose: string) =>
  `The record has to allow the public address that ${whose} sends from, such as "v=spf1 mx ip4:192.0.2.1 ~all".`;

/** Addresses that no receiver sees (RFC 1918, RFC 4193, and those of one machine or link). */
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

/** What allows a server in a record. Services send from many, and say themselves from which. */
async function termFor(host: string, dns: Dns): Promise<string | undefined> {
  const kind = isIP(host);
  if (kind > 0) return `ip${kind}:${host}`;
  if (!serviceOfHost(host)) return `a:${host}`;
  const include = spfOfHost(host);
  // A service may have moved its record since this was written.
  const isThere = include !== undefined && spfRecordsIn(await dns.texts(include)).length > 0;
  return isThere ? `include:${include}` : undefined;
}

interface Wanted {
  readonly term: string | undefined;
  readonly isAllowedBy: (spf: Spf) => boolean;
  /** Whether the servers that take the domain's mail send for it, too, as far as anybody knows. */
  readonly withMx: boolean;
}

/** The record that would do, if there is one that receivers read to its end. */
async function better(
  domain: string,
  records: readonly string[],
  { term, isAllowedBy, withMx }: Wanted,
  dns: Dns,
): Promise<DnsRecord | undefined> {
  const value = spfRecord(records.length === 0 && withMx ? ['v=spf1 mx'] : records, term);
  const read = await withRecord(domain, value, dns);
  const isBetter = read.ok && read.value && (records.length > 1 || isAllowedBy(read.value));
  return isBetter ? { name: domain, type: 'TXT', value } : undefined;
}
