import type { Dns } from './dns.ts';
import { tagsOf } from './spf.ts';

/** How receivers treat a domain's mail that passes neither SPF nor DKIM. */
export interface Dmarc {
  /** The domain that has the record: the domain itself or one above it. */
  readonly at: string;
  readonly policy: 'none' | 'quarantine' | 'reject';
  /** Whether receivers apply the next weaker policy during a test (`t=y`: RFC 9989, 4.7). */
  readonly isTest: boolean;
  /** Whether SPF must pass for exactly this domain, not for one above or below it. */
  readonly strictSpf: boolean;
  /** The same for DKIM. */
  readonly strictDkim: boolean;
}

/** How receivers treat mail that fails; `undefined` if they deliver it. */
export function consequenceOf({ policy, isTest }: Dmarc): string | undefined {
  if (policy === 'none' || (isTest && policy === 'quarantine')) return undefined;
  return policy === 'reject' && !isTest ? 'reject it' : 'move it to the spam folder';
}

/**
 * Finds a domain's policy by the tree walk of RFC 9989, 4.10: the record of the domain itself, or else that
 * of its organization, the highest domain with a record. This needs no public suffix list, since the records
 * say where organizations end (`psd=`).
 */
export async function readDmarc(domain: string, dns: Dns): Promise<Dmarc | undefined> {
  const names = walk(domain);
  const texts = await Promise.all(names.map((name) => dns.texts(`_dmarc.${name}`)));
  const found: { readonly at: string; readonly tags: ReadonlyMap<string, string> }[] = [];
  for (const [index, at] of names.entries()) {
    const records = (texts[index] ?? []).filter((text) => isRecord.test(text));
    const [record] = records;
    // Several records count as no record.
    if (record === undefined || records.length > 1) continue;
    const tags = tagsOf(record);
    found.push({ at, tags });
    const psd = tags.get('psd')?.toLowerCase();
    if (psd === 'n' || (psd === 'y' && at !== domain)) break;
  }
  const [own] = found;
  const top = found.at(-1);
  if (!own || !top) return undefined;
  if (own.at === domain) return { ...policyOf(own.tags, 'p'), at: own.at };
  // The organizational domain (RFC 9989, 4.10.2): one label below a public suffix.
  const isAboveAll = top.tags.get('psd')?.toLowerCase() === 'y';
  const organization = (isAboveAll && names[names.indexOf(top.at) - 1]) || top.at;
  const { at, tags } = found.find((one) => one.at === organization) ?? top;
  return { ...policyOf(tags, 'sp'), at };
}

/** RFC 7489, 6.4: white space may surround each sign. The tag's name is not case-sensitive, but the version is. */
const isRecord = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(;|$)/;

/** The domain and at most seven domains above it. For a long name, the parents begin with the one of seven labels. */
function walk(domain: string): readonly string[] {
  const labels = domain.split('.');
  const above = labels
    .slice(Math.max(1, labels.length - 7))
    .map((_, index, rest) => rest.slice(index).join('.'));
  return [domain, ...above];
}

function policyOf(tags: ReadonlyMap<string, string>, policyTag: 'p' | 'sp') {
  const lower = (tag: string) => tags.get(tag)?.toLowerCase();
  const policy = lower(policyTag) ?? lower('p');
  return {
    policy: policy === 'reject' || policy === 'quarantine' ? policy : 'none',
    isTest: lower('t') === 'y',
    strictSpf: lower('aspf') === 's',
    strictDkim: lower('adkim') === 's',
  } as const;
}
