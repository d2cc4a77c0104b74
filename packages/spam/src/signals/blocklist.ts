import { optional, removed } from '@form-relay/schema/schema';
import { listFile } from '../lists/list.ts';
import { type SignalResult, signal } from './signal.ts';
import { domainsIn, freeTexts, mailAddresses } from './typed.ts';

const file = 'the path of a list, from where the config is, with one a line';

export const blocklist = signal({
  name: 'blocklist',
  summary: 'Words, mail addresses or domains from lists of yours. One is enough for all its points.',
  weight: 6,
  example: '{words: words.txt}',
  keys: {
    words: optional(`Words and phrases in what was typed: ${file}.`, listFile('words')),
    addresses: optional(`Mail addresses: ${file}.`, listFile('addresses')),
    domains: optional(
      `Domains of mail and web addresses, each with all below it: ${file}.`,
      listFile('domains'),
    ),
    networks: removed(
      '0.2.0',
      'proxies and firewalls block networks before they cost anything',
      'leave it out, and block them there; rate_limit slows down the rest',
    ),
  },
  problem: ({ words, addresses, domains }) =>
    words || addresses || domains
      ? undefined
      : 'this names no list; expected words, addresses or domains with the path of one',
  score: (files, lists) => {
    const words = files.words && lists.of(files.words);
    const addresses = files.addresses && lists.of(files.addresses);
    const domains = files.domains && lists.of(files.domains);
    const isUnread = Object.values(files).some((file) => file && !lists.of(file));
    return (seen): SignalResult => {
      const phrases = words ? freeTexts(seen).reduce((sum, text) => sum + words.count(text), 0) : 0;
      const found = [
        phrases > 0 && (phrases === 1 ? 'a listed word or phrase' : `${phrases} listed words or phrases`),
        addresses && mailAddresses(seen).some((one) => addresses.has(one)) && 'a listed mail address',
        domains && [...domainsIn(seen)].some((one) => domains.has(one)) && 'a listed domain',
      ].filter((why) => typeof why === 'string');
      if (found.length > 0) return { score: 1, why: found.join(', ') };
      return isUnread ? { silent: 'its lists were not read' } : undefined;
    };
  },
});
