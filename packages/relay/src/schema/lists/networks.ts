import { isWhole, masked, readNetwork, writeNetwork } from '../../base/networks.ts';
import { finding } from '../finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder } from './list.ts';

/** IP addresses and networks in CIDR notation. */
export function buildNetworks(): ListBuilder<'networks'> {
  const { ofText } = keyedHash();
  const networks = new HashSet();
  /** The prefix lengths in the list, by address family: a lookup probes each. */
  const bits = { 2: new Set<number>(), 8: new Set<number>() };
  const bitsOf = (groups: number) => (groups === 2 ? bits[2] : bits[8]);
  return {
    add: (entry) => {
      const network = readNetwork(entry);
      if (!network) return { finding: finding('list_entry_no_network', []) };
      if (!isWhole(network)) {
        const first = { ...network, address: masked(network.address, network.bits) };
        return { finding: finding('list_network_not_whole', [], { meant: writeNetwork(first) }) };
      }
      bitsOf(network.address.length).add(network.bits);
      networks.add(ofText(writeNetwork(network)));
      return undefined;
    },
    list: {
      has: (address) => {
        for (const bits of bitsOf(address.length)) {
          const network = { address: masked(address, bits), bits };
          if (networks.has(ofText(writeNetwork(network)))) return true;
        }
        return false;
      },
    },
  };
}
