import { parseAddress } from '../../base/address.ts';
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
      const address = parseAddress(entry);
      if (address === undefined) return { finding: finding('list_entry_no_address', []) };
      addresses.add(ofText(address.toLowerCase()));
      return undefined;
    },
    list: {
      has: (written) => {
        const address = parseAddress(written.trim())?.toLowerCase();
        if (address === undefined) return false;
        return addresses.has(ofText(address)) || addresses.has(ofText(address.replace(/\+[^@]*/, '')));
      },
    },
  };
}
