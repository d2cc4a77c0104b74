import { hostName } from '../../base/address.ts';
import { finding } from '../finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder } from './list.ts';

/** Domains, each with its subdomains. A top-level domain is written `*.xyz`, because `xyz` alone may be a typo. */
export function buildDomains(): ListBuilder<'domains'> {
  const { ofText } = keyedHash();
  const domains = new HashSet();
  return {
    add: (entry) => {
      const isBelow = entry.startsWith('*.');
      const domain = hostName(withoutDot(isBelow ? entry.slice(2) : entry));
      if (domain === undefined) return { finding: finding('list_entry_no_domain', []) };
      if (!isBelow && !domain.includes('.')) return { finding: finding('list_domain_too_wide', []) };
      domains.add(ofText(domain));
      return undefined;
    },
    list: {
      has: (written) => {
        const domain = written.length > mostCharacters ? undefined : hostName(withoutDot(written));
        if (domain === undefined) return false;
        for (let at = 0; at >= 0; at = domain.indexOf('.', at) + 1 || -1) {
          if (domains.has(ofText(domain.slice(at)))) return true;
        }
        return false;
      },
    },
  };
}

/** No domain is longer. */
const mostCharacters = 255;

/** Drops the trailing dot of an absolute name (RFC 1034, 3.1). */
const withoutDot = (domain: string) => (domain.endsWith('.') ? domain.slice(0, -1) : domain);
