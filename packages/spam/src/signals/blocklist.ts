import { optional, readAddress } from '@form-relay/core/kit';
import { listFile } from '../lists/list.ts';
import { type Look, type Seen, signal } from './signal.ts';
import { domainsIn, freeTexts, mailAddresses } from './typed.ts';

const file = 'the path of a list, from where the config is, with one a line';

export const blocklist = signal({
  name: 'blocklist',
  summary:
    'Words, mail addresses, domains or networks from lists of yours. One is enough for all its points.',
  weight: 6,
  isDefault: false,
  example: '{words: words.txt}',
  keys: {
    words: optional(`Words and phrases in what was typed: ${file}.`, listFile('words')),
    addresses: optional(`Mail addresses: ${file}.`, listFile('addresses')),
    domains: optional(
      `Domains of mail and web addresses, each with all below it: ${file}.`,
      listFile('domains'),
    ),
    networks: optional(
      `Addresses and networks of senders, such as \`192.0.2.0/24\`: ${file}.`,
      listFile('networks'),
    ),
  },
  problem: ({ words, addresses, domains, networks }) =>
    words || addresses || domains || networks
      ? undefined
      : 'this names no list; expected words, addresses, domains or networks with the path of one',
  look: (files, lists) => {
    const words = files.words && lists.of(files.words);
    const addresses = files.addresses && lists.of(files.addresses);
    const domains = files.domains && lists.of(files.domains);
    const networks = files.networks && lists.of(files.networks);
    const isUnread = Object.values(files).some((file) => file && !lists.of(file));
    return (seen): Look => {
      const phrases = words ? freeTexts(seen).reduce((sum, text) => sum + words.count(text), 0) : 0;
      const found = [
        phrases > 0 && (phrases === 1 ? 'a listed word or phrase' : `${phrases} listed words or phrases`),
        addresses && mailAddresses(seen).some((one) => addresses.has(one)) && 'a listed mail address',
        domains && [...domainsIn(seen)].some((one) => domains.has(one)) && 'a listed domain',
        networks && isFrom(seen, networks) && 'a listed network',
      ].filter((why) => typeof why === 'string');
      if (found.length > 0) return { strength: 1, why: found.join(', ') };
      return isUnread ? { silent: 'its lists were not read' } : undefined;
    };
  },
});

function isFrom({ address }: Seen, networks: { has(address: readonly number[]): boolean }): boolean {
  const parsed = address === undefined ? undefined : readAddress(address);
  return parsed !== undefined && networks.has(parsed);
}
