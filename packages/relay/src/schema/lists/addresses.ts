import { sameAddress } from '../../base/same_address.ts';
import { finding } from '../finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder } from './list.ts';

/** Mail addresses. Each matches its own variants with a `+`. */
export function buildAddresses(): ListBuilder<'addresses'> {
  const { ofText } = keyedHash();
  const addresses = new HashSet();
  return {
    add: (entry) => {
      if (!isEntry.test(entry)) return { finding: finding('list_entry_no_address', []) };
      addresses.add(ofText(sameAddress(entry)));
      return undefined;
    },
    list: {
      has: (written) => {
        const address = sameAddress(written);
        return addresses.has(ofText(address)) || addresses.has(ofText(address.replace(/\+[^@]*/, '')));
      },
    },
  };
}

/** One bare address; only quotes may hold spaces. */
const isEntry = /^(?:"[^"@]*"|[^\s@"<>]+)@[^\s@<>]+$/;
