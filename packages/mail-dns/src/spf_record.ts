import type { Result } from '@form-relay/base/result';
import type { Dns } from './dns.ts';
import { readSpf, type Spf } from './spf.ts';

/** The tags of a DMARC or DKIM record, such as `v=DMARC1; p=none`, by name in lower case (RFC 6376, 3.2). */
export const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim().toLowerCase(), value.join('=').trim()];
    }),
  );

/**
 * The record that should replace a domain's records: it merges them, adds `term`, and doesn't allow every server. `term`
 * allows one server or service, such as `include:_spf.example.com`.
 */
export function spfRecord(records: readonly string[], term?: string): string {
  const terms = [...new Set(records.flatMap((record) => record.split(/ +/).slice(1).filter(Boolean)))];
  const isLast = (one: string) => /^[+?~-]?all$/i.test(one) || /^redirect=/i.test(one);
  // A term that rejects the same servers would match first.
  const before = terms.filter((one) => !isLast(one) && !(/^[?~-]/.test(one) && one.slice(1) === term));
  const isThere = before.some((one) => one.replace(/^\+/, '') === term);
  const added = term === undefined || isThere ? [] : [term];
  return ['v=spf1', ...before, ...added, lastOf(terms.filter(isLast))].join(' ');
}

/** The term for all other servers: the mildest of those given, except `+all`. */
function lastOf(terms: readonly string[]): string {
  const alls = terms.filter((one) => /all$/i.test(one)).map((one) => one.toLowerCase());
  const mildest = ['?all', '~all', '-all'].find((one) => alls.includes(one));
  if (mildest !== undefined) return mildest;
  return (alls.length === 0 && terms.find((one) => /^redirect=/i.test(one))) || '~all';
}

/** Reads the policy that a domain would have with this record. */
export const withRecord = (
  domain: string,
  record: string,
  ips: readonly string[],
  dns: Dns,
): Promise<Result<Spf | undefined, string>> =>
  readSpf(domain, ips, { ...dns, texts: async (name) => (name === domain ? [record] : dns.texts(name)) });
