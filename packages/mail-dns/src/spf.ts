import { BlockList, isIP, isIPv6 } from 'node:net';
import { err, ok, type Result } from '@form-relay/base/result';
import type { Dns } from './dns.ts';
import { type Mechanism, type SpfTerms, spfTerms } from './spf_terms.ts';

/** `unknown`: the result depends on something that only receivers know, such as the local part of an address. */
export type SpfVerdict = 'pass' | 'fail' | 'softfail' | 'neutral' | 'unknown';

/** A receiver's verdict on one client under a domain's policy (RFC 7208, 4). */
interface SpfCheck {
  /** `none`: there is no policy. `error`: receivers give up, as if the policy allowed no server. */
  readonly result: SpfVerdict | 'none' | 'error';
  /** The reason for an error. */
  readonly why?: string;
  /** The domains whose servers the policy allows (`include:`, `redirect=`), as far as it was read. */
  readonly included: ReadonlySet<string>;
}

/** RFC 7208, 4.6.4: receivers give up beyond these limits. */
const maxLookups = 10;
const maxVoidLookups = 2;
const maxMailHosts = 10;

/** An address that no server has. A mechanism that allows it allows every server, so it is compared with all of them. */
const stranger = '0.0.0.0';

class PermError extends Error {}

interface State {
  readonly sender: string;
  readonly ip: string;
  readonly dns: Dns;
  lookups: number;
  voids: number;
  readonly included: Set<string>;
  isUnknown: boolean;
}

/** Evaluates a domain's policy for one client, like a receiver. */
export async function checkSpf(domain: string, client: string, dns: Dns): Promise<SpfCheck> {
  // An IPv4-mapped IPv6 address (RFC 7208, 5).
  const ip = client.replace(/^::ffff:(?=\d+\.)/i, '');
  const state: State = {
    sender: domain,
    ip,
    dns,
    lookups: 0,
    voids: 0,
    included: new Set(),
    isUnknown: false,
  };
  const { included } = state;
  try {
    const result = await verdictOf(domain, state);
    return {
      result: result !== 'pass' && result !== 'none' && state.isUnknown ? 'unknown' : result,
      included,
    };
  } catch (error) {
    if (!(error instanceof PermError)) throw error;
    return { result: 'error', why: error.message, included };
  }
}

/** A domain's policy for one mail server. */
export interface Spf {
  /** Whether the policy allows every server (`+all`). */
  readonly allowsAll: boolean;
  readonly included: ReadonlySet<string>;
  /** The first of the server's addresses that the policy allows. */
  readonly allowed: string | undefined;
  /** Why receivers give up for servers that no earlier term names. */
  readonly errorForOthers: string | undefined;
  readonly verdicts: readonly SpfVerdict[];
}

/** Reads a policy; `undefined` if the domain has none. An error: receivers act as if the policy allowed no server. */
export async function readSpf(
  domain: string,
  ips: readonly string[],
  dns: Dns,
): Promise<Result<Spf | undefined, string>> {
  const [anyone, ...own] = await Promise.all([stranger, ...ips].map((ip) => checkSpf(domain, ip, dns)));
  if (!anyone || anyone.result === 'none') return ok(undefined);
  const allowed = ips.find((_, index) => own[index]?.result === 'pass');
  const broken = [anyone, ...own].find(({ result }) => result === 'error');
  if (broken && allowed === undefined) return err(broken.why ?? '');
  return ok({
    allowsAll: anyone.result === 'pass',
    included: anyone.included,
    allowed,
    errorForOthers: anyone.why,
    verdicts: own.map(({ result }) => result).filter((one) => one !== 'none' && one !== 'error'),
  });
}

/** The SPF records among a domain's TXT records. A domain should have at most one. */
export const spfRecordsIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => /^v=spf1( |$)/i.test(text));

async function termsOf(domain: string, dns: Dns): Promise<SpfTerms | undefined> {
  const records = spfRecordsIn(await dns.texts(domain));
  const [record] = records;
  if (record === undefined) return undefined;
  if (records.length > 1)
    throw new PermError(`${domain} has ${records.length} SPF records, but only one is allowed`);
  const terms = spfTerms(record);
  if (!terms.ok) throw new PermError(terms.error);
  return terms.value;
}

const verdicts = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;

async function verdictOf(domain: string, state: State): Promise<Exclude<SpfVerdict, 'unknown'> | 'none'> {
  const terms = await termsOf(domain, state.dns);
  if (!terms) return 'none';
  // Sequential, so that lookups are counted as receivers count them.
  for (const mechanism of terms.mechanisms) {
    if (await matches(mechanism, domain, state)) return verdicts[mechanism.sign];
  }
  if (terms.redirect === undefined) return 'neutral';
  countLookup(state);
  const target = expanded(terms.redirect, domain, state);
  if (target === undefined) return 'neutral';
  state.included.add(target);
  const verdict = await verdictOf(target, state);
  if (verdict === 'none')
    throw new PermError(`"redirect=${terms.redirect}" points to a name without an SPF record`);
  return verdict;
}

async function matches(mechanism: Mechanism, domain: string, state: State): Promise<boolean> {
  const { kind, value, sign, term } = mechanism;
  const { ip, dns } = state;
  if (kind === 'all') return true;
  if (kind === 'ip4' || kind === 'ip6') return isNear([value], mechanism, ip);
  countLookup(state);
  // The server's operator controls reverse names, so they cannot be evaluated here.
  if (kind === 'ptr') state.isUnknown = true;
  const target = kind === 'ptr' ? undefined : value === '' ? domain : expanded(value, domain, state);
  if (target === undefined) return false;
  switch (kind) {
    case 'include': {
      if (sign === '+') state.included.add(target);
      const verdict = await verdictOf(target, state);
      if (verdict === 'none') throw new PermError(`"${term}" points to a name without an SPF record`);
      return verdict === 'pass';
    }
    case 'a':
      return isNear(await addressesOf(target, state), mechanism, ip);
    case 'exists':
      // The name is looked up as IPv4 even if the client uses IPv6 (RFC 7208, 5.7).
      return (await counted(dns.addresses(target, 4), state)).length > 0;
    default: {
      const hosts = (await counted(dns.mailHosts(target), state)).filter(Boolean);
      if (hosts.length > maxMailHosts)
        throw new PermError(
          `"${term}" resolves to ${hosts.length} mail servers, but receivers stop after ten`,
        );
      for (const host of hosts) if (isNear(await addressesOf(host, state), mechanism, ip)) return true;
      return false;
    }
  }
}

const addressesOf = (name: string, state: State) =>
  counted(state.dns.addresses(name, isIP(state.ip) === 6 ? 6 : 4), state);

function countLookup(state: State): void {
  state.lookups += 1;
  if (state.lookups > maxLookups)
    throw new PermError(`the record needs more than ${maxLookups} DNS lookups, where receivers stop`);
}

/** Counts empty answers (void lookups). */
async function counted<T>(answer: Promise<readonly T[]>, state: State): Promise<readonly T[]> {
  const found = await answer;
  if (found.length === 0) state.voids += 1;
  if (state.voids > maxVoidLookups)
    throw new PermError(`more than ${maxVoidLookups} of its names do not resolve; receivers stop there`);
  return found;
}

/** `undefined` if only receivers know the value of a macro. */
function expanded(text: string, domain: string, state: State): string | undefined {
  const found = expandMacros(text, { domain, sender: state.sender, ip: state.ip });
  if (found === undefined) state.isUnknown = true;
  return found;
}

/** Whether the address is in the network of one of the others that has the same IP version. */
function isNear(others: readonly string[], { length4, length6 }: Mechanism, ip: string): boolean {
  const kind = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  for (const other of others) {
    if (isIP(other) === isIP(ip)) list.addSubnet(other, kind === 'ipv6' ? length6 : length4, kind);
  }
  return list.check(ip, kind);
}

export interface MacroContext {
  /** The domain whose record is being read. */
  readonly domain: string;
  /** The domain of the sender, whose record was read first. */
  readonly sender: string;
  readonly ip: string;
}

const maxNameLength = 253;

/** Expands the macros of a domain (RFC 7208, 7); `undefined` if only receivers know the value of one. */
export function expandMacros(text: string, about: MacroContext): string | undefined {
  let isUnknown = false;
  const name = text.replaceAll(
    /%(?:([%_-])|\{(\w)(\d*)(r?)([^}]*)\})/gi,
    (_, sign: string | undefined, letter = '', digits = '', reversed = '', delimiters = '') => {
      if (sign) return { '%': '%', _: ' ', '-': '%20' }[sign] ?? '';
      const value = knownValue(letter.toLowerCase(), about);
      if (value === undefined) isUnknown = true;
      const parts = (value ?? '').split(new RegExp(`[${escaped(delimiters || '.')}]`));
      if (reversed !== '') parts.reverse();
      const kept = parts.slice(-(Number(digits) || parts.length)).join('.');
      return letter === letter.toUpperCase() ? encodeURIComponent(kept) : kept;
    },
  );
  if (isUnknown) return undefined;
  // Labels are removed from the left of a name that is too long.
  let short = name.replace(/\.$/, '').toLowerCase();
  while (short.length > maxNameLength) short = short.slice(short.indexOf('.') + 1);
  return short;
}

const escaped = (delimiters: string) => delimiters.replaceAll(/[-/\\\]^]/g, '\\$&');

function knownValue(letter: string, { domain, sender, ip }: MacroContext): string | undefined {
  if (letter === 'd') return domain;
  if (letter === 'o') return sender;
  if (letter === 'v') return isIPv6(ip) ? 'ip6' : 'in-addr';
  return letter === 'i' ? dotted(ip) : undefined;
}

/** Writes an IPv6 address as its 32 digits. */
function dotted(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.replace(/[\d.]+$/, inHex).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return [...all.map((group) => group.padStart(4, '0')).join('')].join('.');
}

/** The last 32 bits, which may be written as IPv4. */
function inHex(four: string): string {
  if (!four.includes('.')) return four;
  const [a = 0, b = 0, c = 0, d = 0] = four.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** The tags of a DMARC or DKIM record, such as `v=DMARC1; p=none`, by name in lower case (RFC 6376, 3.2). */
export const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim().toLowerCase(), value.join('=').trim()];
    }),
  );

/**
 * The record that should replace a domain's records. The new record merges them, adds `term`, and does not
 * allow every server. `term` allows one server or service, such as `include:_spf.example.com`.
 */
export function spfRecord(records: readonly string[], term?: string): string {
  const terms = [...new Set(records.flatMap((record) => record.split(/ +/).slice(1).filter(Boolean)))];
  const isLast = (one: string) => /^[+?~-]?all$/i.test(one) || /^redirect=/i.test(one);
  // An earlier term that rejects the same servers would match first.
  const before = terms.filter((one) => !isLast(one) && !(/^[?~-]/.test(one) && one.slice(1) === term));
  const isThere = before.some((one) => one.replace(/^\+/, '') === term);
  const added = term === undefined || isThere ? [] : [term];
  return ['v=spf1', ...before, ...added, lastOf(terms.filter(isLast))].join(' ');
}

/** The term for all other servers: the weakest of those given, except `+all`. */
function lastOf(terms: readonly string[]): string {
  const alls = terms.filter((one) => /all$/i.test(one)).map((one) => one.toLowerCase());
  const mildest = ['?all', '~all', '-all'].find((one) => alls.includes(one));
  if (mildest !== undefined) return mildest;
  return (alls.length === 0 && terms.find((one) => /^redirect=/i.test(one))) || '~all';
}

/** Reads the policy that a domain would have if it published this record. */
export const withRecord = (
  domain: string,
  record: string,
  ips: readonly string[],
  dns: Dns,
): Promise<Result<Spf | undefined, string>> =>
  readSpf(domain, ips, { ...dns, texts: async (name) => (name === domain ? [record] : dns.texts(name)) });
