import { hostName } from '../../base/address.ts';
import { finding } from '../../base/config_finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { Growing } from './list.ts';

/** Domains, each with all below it. Where that is a top-level domain, it is written `*.xyz`: `xyz` alone may be a slip. */
export function growDomains(): Growing<'domains'> {
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

/** The one at the end, which says that nothing is to be added (RFC 1034, 3.1). */
const withoutDot = (domain: string) => (domain.endsWith('.') ? domain.slice(0, -1) : domain);
