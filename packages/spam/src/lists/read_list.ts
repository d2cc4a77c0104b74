import type { Result } from '@form-relay/core/index';
import {
  err,
  hostName,
  isWhole,
  masked,
  ok,
  readNetwork,
  sameAddress,
  writeNetwork,
} from '@form-relay/core/kit';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder, ListKind, ListOf, Misread } from './list.ts';
import { buildModel } from './read_model.ts';
import { buildWords } from './words_list.ts';

type ReadList<K extends ListKind> = Result<
  { readonly list: ListOf[K]; readonly entries: number },
  readonly Misplaced[]
>;

/** A mistake, and where it stands in the text, in UTF-16 units. */
interface Misplaced {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
  readonly length: number;
}

const notText = 'this is no text in UTF-8; a list is one entry a line';

const builders: { readonly [K in ListKind]: () => ListBuilder<K> } = {
  words: buildWords,
  addresses: buildAddresses,
  domains: buildDomains,
  networks: buildNetworks,
  model: buildModel,
};

/** A file with more is probably no list. */
const mostProblems = 100;
/** No address, domain or phrase is longer. */
const longestEntry = 320;
/** The lines between yields: a few milliseconds of work. */
const linesAtOnce = 1_000;

/**
 * Reads a list: an entry per line. Skips blank lines, lines that start with `#`, and text after a space and `#`. A
 * million lines take seconds, during which requests are still answered.
 */
export async function readList<K extends ListKind>(kind: K, text: string): Promise<ReadList<K>> {
  const { add, end, list } = builders[kind]();
  const problems: Misplaced[] = [];
  let entries = 0;
  let lines = 0;
  for (let start = text.startsWith('\uFEFF') ? 1 : 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    const entry = entryOf(line);
    if (entry !== '') {
      const {
        code = '',
        message,
        offset = 0,
        length = entry.length,
      } = misreadOf(entry) ?? add(entry) ?? fine;
      if (message) problems.push({ code, message, offset: start + line.indexOf(entry) + offset, length });
      else entries += 1;
    }
    if (problems.length >= mostProblems || problems.at(-1)?.message === notText) break;
    start = end + 1;
    lines += 1;
    if (lines % linesAtOnce === 0) await yieldToEventLoop();
  }
  const { code = '', message } = (problems.length === 0 && end?.()) || fine;
  if (message) problems.push({ code, message, offset: 0, length: 1 });
  return problems.length > 0 ? err(problems) : ok({ list, entries });
}

const fine: Partial<Misread> = {};

/** The line without its comment. */
function entryOf(line: string): string {
  const comment = line.includes('#') ? line.search(/(?:^|\s)#/) : -1;
  return (comment < 0 ? line : line.slice(0, comment)).trim();
}

function misreadOf(entry: string): Misread | undefined {
  // As in UTF-16 or compressed files.
  const strange = entry.search(/[\0-\x08\x0e-\x1f\x7f]/);
  if (strange >= 0) return { code: 'list_not_text', message: notText, offset: strange, length: 1 };
  if (entry.length <= longestEntry) return undefined;
  return {
    code: 'list_entry_too_long',
    message: `no entry is over ${longestEntry} characters; a list is one entry a line`,
  };
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Mail addresses. Each matches its own variants with a `+`. */
function buildAddresses(): ListBuilder<'addresses'> {
  const { ofText } = keyedHash();
  const addresses = new HashSet();
  return {
    add: (entry) => {
      if (!isEntry.test(entry))
        return {
          code: 'list_entry_no_address',
          message:
            'expected a mail address, such as ada@example.com; whole domains stand in a list of domains',
        };
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

/** Domains, each with its subdomains. A top-level domain is written `*.xyz`, because `xyz` alone may be a typo. */
function buildDomains(): ListBuilder<'domains'> {
  const { ofText } = keyedHash();
  const domains = new HashSet();
  return {
    add: (entry) => {
      const isBelow = entry.startsWith('*.');
      const domain = hostName(withoutDot(isBelow ? entry.slice(2) : entry));
      if (domain === undefined)
        return {
          code: 'list_entry_no_domain',
          message:
            'expected a domain alone, such as example.com: no address, no path, no port; what is below it belongs to it',
        };
      if (!isBelow && !domain.includes('.'))
        return {
          code: 'list_domain_too_wide',
          message: 'this is a top-level domain; to list all that is below it, write *. before it',
        };
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

/** IP addresses and networks in CIDR notation. */
function buildNetworks(): ListBuilder<'networks'> {
  const { ofText } = keyedHash();
  const networks = new HashSet();
  /** The prefix lengths in the list, by address family: a lookup probes each. */
  const bits = { 2: new Set<number>(), 8: new Set<number>() };
  const bitsOf = (groups: number) => (groups === 2 ? bits[2] : bits[8]);
  return {
    add: (entry) => {
      const network = readNetwork(entry);
      if (!network)
        return {
          code: 'list_entry_no_network',
          message: 'expected an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32',
        };
      if (!isWhole(network)) {
        const first = { ...network, address: masked(network.address, network.bits) };
        return {
          code: 'list_network_not_whole',
          message: `this is an address within a network, and not the network; write ${writeNetwork(first)}, or the address without /`,
        };
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
