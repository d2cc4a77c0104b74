import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { err, ok, type Result } from '@form-relay/relay/base';
import type { Dns } from './dns.ts';

/** A domain's SPF policy, with everything that it includes (RFC 7208). */
export interface Spf {
  /** Whether it allows every server (`+all`). */
  readonly allowsAll: boolean;
  /** The domains whose servers it allows (`include:`, `redirect=`), directly or through another record. */
  readonly included: ReadonlySet<string>;
  readonly verdictOn: (ip: string) => SpfVerdict;
}

/** `unknown`: it depends on something that only receivers know, such as a macro. */
export type SpfVerdict = 'pass' | 'fail' | 'softfail' | 'neutral' | 'unknown';

/** RFC 7208, 4.6.4: receivers give up beyond it. */
const maxLookups = 10;

/** `undefined` if the domain has no policy. An error is a broken policy: receivers act as if it allowed no server. */
export async function readSpf(domain: string, dns: Dns): Promise<Result<Spf | undefined, string>> {
  const count = { lookups: 0, included: new Set<string>() };
  const read = await directivesOf(domain, dns, count);
  if (!read.ok) return read;
  const directives = read.value;
  return ok(
    directives && {
      allowsAll: directives.some(({ isAll, verdict }) => isAll && verdict === 'pass'),
      included: count.included,
      verdictOn: (ip) => evaluate(directives, ip),
    },
  );
}

/** The SPF records among a domain's TXT records. There should be at most one. */
export const spfRecordsIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => /^v=spf1( |$)/i.test(text));

interface Directive {
  readonly verdict: SpfVerdict;
  readonly isAll: boolean;
  /** `undefined` if only receivers know. */
  readonly matches: (ip: string) => boolean | undefined;
}

type Count = { lookups: number; readonly included: Set<string> };
type Directives = readonly Directive[];

/** `undefined` if the domain has no policy. */
async function directivesOf(
  domain: string,
  dns: Dns,
  count: Count,
): Promise<Result<Directives | undefined, string>> {
  const records = spfRecordsIn(await dns.texts(domain));
  const [record] = records;
  if (record === undefined) return ok(undefined);
  if (records.length > 1) return err(`${domain} has ${records.length} SPF records, and one is allowed`);
  const terms = record.split(/ +/).slice(1).filter(Boolean);
  const directives: Directive[] = [];
  // In sequence, so that lookups count as they do for receivers.
  for (const term of terms) {
    if (/^[\w.-]+=/.test(term)) continue;
    const directive = await directiveOf(term, domain, dns, count);
    if (!directive.ok) return directive;
    directives.push(directive.value);
  }
  const redirect = terms.find((term) => /^redirect=/i.test(term))?.slice('redirect='.length);
  if (redirect && !directives.some(({ isAll }) => isAll)) {
    const rest = await partOf(redirect, dns, count, `redirect=${redirect}`);
    if (!rest.ok) return rest;
    count.included.add(redirect.toLowerCase());
    directives.push(...rest.value);
  }
  return ok(directives);
}

const verdicts: Readonly<Record<string, SpfVerdict>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
};

async function directiveOf(
  term: string,
  domain: string,
  dns: Dns,
  count: Count,
): Promise<Result<Directive, string>> {
  const [, sign = '+', name = '', value = '', length, length6 = '128'] =
    /^([+?~-])?(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/]*))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/i.exec(
      term,
    ) ?? [];
  const kind = name.toLowerCase();
  const isKnowable = !value.includes('%');
  const directive = (matches: Directive['matches']) =>
    ok({ verdict: verdicts[sign] ?? 'pass', isAll: kind === 'all', matches });
  switch (kind) {
    case 'all':
      return directive(() => true);
    case 'ip4':
    case 'ip6': {
      const isRight = kind === 'ip4' ? isIPv4(value) : isIPv6(value);
      const network = isRight && networkOf([value], Number(length ?? 32), Number(length ?? 128));
      return network ? directive(network) : err(`"${term}" is not a network`);
    }
    case 'include': {
      if (!isKnowable) return lookUp(count) ?? directive(() => undefined);
      const inner = await partOf(value, dns, count, term);
      if (!inner.ok) return inner;
      if (sign === '+') count.included.add(value.toLowerCase());
      return directive((ip) => {
        const verdict = evaluate(inner.value, ip);
        return verdict === 'unknown' ? undefined : verdict === 'pass';
      });
    }
    case 'a':
    case 'mx': {
      const tooMany = lookUp(count);
      if (tooMany) return tooMany;
      if (!isKnowable) return directive(() => undefined);
      const target = value || domain;
      const hosts = kind === 'a' ? [target] : (await dns.mailHosts(target)).slice(0, maxLookups);
      const ips = (await Promise.all(hosts.filter(Boolean).map(dns.addresses))).flat();
      return directive(networkOf(ips, Number(length ?? 32), Number(length6)) ?? (() => undefined));
    }
    case 'exists':
    case 'ptr':
      return lookUp(count) ?? directive(() => undefined);
    default:
      return err(`"${term}" is not an SPF term`);
  }
}

/** Counts a lookup. Returns an error if that is one too many. */
function lookUp(count: Count) {
  count.lookups += 1;
  return count.lookups > maxLookups
    ? err(`reading it takes more than ${maxLookups} DNS lookups, and receivers stop there`)
    : undefined;
}

/** The policy of another domain that a term names. */
async function partOf(
  domain: string,
  dns: Dns,
  count: Count,
  term: string,
): Promise<Result<Directives, string>> {
  const tooMany = lookUp(count);
  if (tooMany) return tooMany;
  const directives = await directivesOf(domain, dns, count);
  if (!directives.ok) return directives;
  return directives.value ? ok(directives.value) : err(`"${term}" leads to no SPF record`);
}

/** A test whether an address is in one of the networks; `undefined` if a prefix length is invalid. */
function networkOf(
  ips: readonly string[],
  length4: number,
  length6: number,
): ((ip: string) => boolean) | undefined {
  if ((length4 > 32 && ips.some(isIPv4)) || (length6 > 128 && ips.some(isIPv6))) return undefined;
  const list = new BlockList();
  for (const ip of ips) {
    if (isIPv4(ip)) list.addSubnet(ip, length4, 'ipv4');
    if (isIPv6(ip)) list.addSubnet(ip, length6, 'ipv6');
  }
  return (ip) => list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}

function evaluate(directives: Directives, ip: string): SpfVerdict {
  for (const { matches, verdict } of directives) {
    const isMatch = matches(ip);
    if (isMatch === undefined) return 'unknown';
    if (isMatch) return verdict;
  }
  return 'neutral';
}
