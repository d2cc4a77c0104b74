import { isIP } from 'node:net';
import { isLoopback } from '@form-relay/base/url';
import type { Environment } from '@form-relay/core/settings';
import {
  byAsking,
  consequenceOf,
  type Diagnosis,
  type DkimSigner,
  type Dmarc,
  type Dns,
  dkimOf,
  failure,
  ok,
  publicDns,
  readDmarc,
  spfOf,
  warning,
} from '@form-relay/mail-dns';
import { serviceOfHost, serviceOfMailbox } from '@form-relay/mail-dns/mail_services';
import type { Examine } from './examination.ts';
import { renderWithoutFields } from './outputs.ts';
import { type Sender, sendersOf } from './senders.ts';
import type { DkimTarget } from './target.ts';

/**
 * Whether receivers will believe who the mails are from: DMARC asks that SPF or DKIM vouch for the very domain that
 * stands in From (RFC 9989). Over SMTP the envelope sender is the same address, so a pass of SPF is enough.
 */
export const examineMailDns: Examine = async (setup, { resolver, env }) => {
  const looks = sendersOf(setup).map((sender) => ({ sender, known: withoutDns(sender) }));
  const known = looks.flatMap(({ known }) => known ?? []);
  const open = looks.filter(({ known }) => known === undefined).map(({ sender }) => sender);
  if (open.length === 0) return known;
  const domains = [...new Set(open.map(({ domain }) => domain))].join(', ');
  const asked = await byAsking(domains, async () => {
    const dns = await publicDns(resolver);
    const each = open.map((sender) => byAsking(sender.domain, () => withDns(sender, dns, env)));
    return (await Promise.all(each)).flat();
  });
  return [...known, ...once(asked)];
};

/** Reports a repeated finding once. */
const once = (diagnoses: readonly Diagnosis[]): readonly Diagnosis[] => [
  ...new Map(diagnoses.map((one) => [JSON.stringify(one), one])).values(),
];

/** The finding that needs no DNS; `undefined` if the DNS decides. */
function withoutDns(sender: Sender): Diagnosis | undefined {
  const { address, domain, host, isDefault, place } = sender;
  if (isDefault && host !== undefined && (isIP(host) > 0 || isLoopback(host) || !domain.includes('.'))) {
    const says = `the default sender at this host is not an address on the internet, so few servers accept it (${place})`;
    return warning(address, says, ownAddress(sender));
  }
  const service = host === undefined ? undefined : serviceOfHost(host);
  if (isDefault && service) {
    const { name } = service;
    const says = `the default sender is at a domain of ${name}, not yours: receivers or ${name} refuse it (${place})`;
    return failure(address, says, ownAddress(sender));
  }
  const owner = serviceOfMailbox(domain);
  if (owner && owner !== service) {
    const via = service?.name ?? host ?? 'Amazon SES';
    const says = `only ${owner.name} may send from ${domain}; through ${via}, receivers take it for forged (${place})`;
    return failure(address, says, ownAddress(sender));
  }
  return undefined;
}

function ownAddress({ host, key }: Sender): string {
  if (key === 'MAIL_FROM_ADDRESS')
    return 'Set MAIL_FROM_ADDRESS to an address of your own domain, verified in Amazon SES.';
  return host === undefined
    ? `Give it a \`from:\` of your own domain, verified in Amazon SES.`
    : `Give it a \`from:\` that the server lets you use: an address of your own domain, or the one you log in with.`;
}

async function withDns(sender: Sender, dns: Dns, env: Environment): Promise<readonly Diagnosis[]> {
  const { address, domain, host, place, dkim } = sender;
  const [hosts, addresses, dmarc] = await Promise.all([
    dns.mailHosts(domain),
    dns.addresses(domain),
    readDmarc(domain, dns),
  ]);
  if (hosts[0] === '' || (hosts.length === 0 && addresses.length === 0)) {
    const what = hosts[0] === '' ? 'says that it takes no mail (null MX)' : 'has neither MX nor address';
    const says = `${domain} ${what}: receivers refuse senders that cannot be answered (${place})`;
    return [failure(address, says, ownAddress(sender))];
  }
  if (host === undefined) return [forSes(sender, dmarc)];
  const signed = dkim && (await dkimOf(signerOf(dkim, place, env), dns));
  const signer = signed?.verdict === 'ok' ? dkim?.domain : undefined;
  // Customers' SPF records do not count there.
  const hasSpf = !serviceOfHost(host)?.hasOwnEnvelope;
  const spf = hasSpf ? await spfOf({ ...sender, host }, hosts.length > 0, dns) : undefined;
  const isAllowed = spf?.verdict === 'ok';
  // The relay signs because the server does not, so without a valid key the mail is lost.
  const isLost = signed?.record && !isAllowed && dmarc && consequenceOf(dmarc) !== undefined;
  return [
    ...(signed ? [isLost ? { ...signed, verdict: 'failure' as const } : signed] : []),
    ...(spf ? [spf] : []),
    forSmtp(sender, dmarc, { signer, isAllowed }),
  ];
}

const signerOf = (dkim: DkimTarget, place: string, env: Environment): DkimSigner => ({
  domain: dkim.domain,
  selector: dkim.selector,
  key: renderWithoutFields(dkim.key, env),
  variable: [...dkim.key.envNames].join(' and '),
  place,
});

interface Vouching {
  /** The domain that the relay signs for, if receivers can check it. */
  readonly signer: string | undefined;
  readonly isAllowed: boolean;
}

/** The server's own DKIM cannot be looked up: only its mails say under which selector it signs. */
function forSmtp(sender: Sender, dmarc: Dmarc | undefined, { signer, isAllowed }: Vouching): Diagnosis {
  const { domain, host } = sender;
  if (!dmarc) return noRecord(domain);
  const subject = `DMARC of ${domain}`;
  const policy = described(dmarc, domain);
  if (signer !== undefined && isAligned(signer, domain, dmarc)) {
    return ok(subject, `${policy}; DKIM aligns, since the relay signs as ${signer}`);
  }
  if (isAllowed) return ok(subject, `${policy}; SPF aligns, since the envelope sender is at ${domain}, too`);
  const consequence = consequenceOf(dmarc);
  if (consequence === undefined)
    return ok(subject, `${policy}: mail is delivered even if neither SPF nor DKIM passes`);
  const why = signer === undefined ? '' : `; a signature of ${signer} does not count`;
  const unless = `unless ${host} signs with DKIM for ${domain}, receivers ${consequence}`;
  const remedy = `DKIM cannot be seen from here. Switch it on for ${domain} at ${host}, or let SPF allow that server.`;
  return warning(subject, `${policy}${why}: ${unless}`, `${remedy} ${seeReceived}`);
}

/** RFC 9989, 4.4.2: the very domain, or where that is not asked, one of the same organization. */
function isAligned(signer: string, domain: string, { organization, strictDkim }: Dmarc): boolean {
  if (signer === domain) return true;
  const isBelow = (name: string, above: string) => name === above || name.endsWith(`.${above}`);
  return !strictDkim && isBelow(signer, organization) && isBelow(domain, organization);
}

const seeReceived =
  'Then look at a mail that arrived: its header Authentication-Results should say dmarc=pass.';

/** SES sends under an envelope sender of its own; whether DKIM vouches is examined with the identity. */
function forSes({ domain }: Sender, dmarc: Dmarc | undefined): Diagnosis {
  return dmarc ? ok(`DMARC of ${domain}`, described(dmarc, domain)) : noRecord(domain);
}

const noRecord = (domain: string): Diagnosis => ({
  ...warning(
    `DMARC of ${domain}`,
    'there is no record; large receivers trust such mail less',
    'Publish this record in the DNS, to begin with:',
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
