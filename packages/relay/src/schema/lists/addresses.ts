import { parseAddress } from '../../base/address.ts';
import { finding } from '../../base/config_finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { Growing } from './list.ts';

/** Mail addresses. One stands for all that its owner makes of it with a `+`. */
export function growAddresses(): Growing<'addresses'> {
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
