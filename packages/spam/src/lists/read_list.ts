import { hostName } from '@form-relay/base/address';
import { err, ok } from '@form-relay/base/result';
import { sameAddress } from '@form-relay/base/same_address';
import type { Result } from '@form-relay/core/index';
import { wordsIn } from '../words.ts';
import type { ListBuilder, ListKind, ListOf, Misread } from './list.ts';
import { buildModel } from './read_model.ts';

type ReadList<K extends ListKind> = Result<
  { readonly list: ListOf[K]; readonly entries: number },
  readonly Misplaced[]
>;

/** A mistake, and where it stands in the text, in UTF-16 units. */
interface Misplaced extends Misread {
  readonly offset: number;
  readonly length: number;
}

const builders: { readonly [K in ListKind]: () => ListBuilder<K> } = {
  words: buildWords,
  addresses: buildAddresses,
  domains: buildDomains,
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
  // Not by a regular expression: its stack is too small for a file of one line.
  for (let start = 0, stop = 0; start < text.length; start = stop + 1) {
    stop = text.indexOf('\n', start);
    if (stop < 0) stop = text.length;
    const line = text.slice(start, stop);
    const entry = line.replace(comment, '').trim();
    const offset = start + line.indexOf(entry);
    const strange = entry.search(notText);
    if (strange >= 0) {
      problems.push({ ...noText, offset: offset + strange, length: 1 });
      break;
    }
    const problem = entry.length > longestEntry ? tooLong : entry === '' ? undefined : add(entry);
    if (problem) problems.push({ ...problem, offset, length: entry.length });
    else if (entry !== '') entries += 1;
    if (problems.length >= mostProblems) break;
    lines += 1;
    if (lines % linesAtOnce === 0) await yieldToEventLoop();
  }
  const missing = problems.length === 0 ? end?.() : undefined;
  if (missing) problems.push({ ...missing, offset: 0, length: 1 });
  return problems.length > 0 ? err(problems) : ok({ list, entries });
}

const comment = /(?:^|\s)#.*/s;

/** As in UTF-16 or compressed files. */
const notText = /[\0-\x08\x0e-\x1f\x7f]/;
const noText: Misread = {
  code: 'list_not_text',
  message: 'this is no text in UTF-8; a list is one entry a line',
};
const tooLong: Misread = {
  code: 'list_entry_too_long',
  message: `no entry is over ${longestEntry} characters; a list is one entry a line`,
};

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Mail addresses. Each matches its own variants with a `+`. */
function buildAddresses(): ListBuilder<'addresses'> {
  const addresses = new Set<string>();
  return {
    add: (entry) => {
      if (!isEntry.test(entry))
        return {
          code: 'list_entry_no_address',
          message:
            'expected a mail address, such as ada@example.com; whole domains stand in a list of domains',
        };
      addresses.add(sameAddress(entry));
      return undefined;
    },
    list: {
      has: (written) => {
        const address = sameAddress(written);
        return addresses.has(address) || addresses.has(address.replace(/\+[^@]*/, ''));
      },
    },
  };
}

/** Matches one bare address; only quotes may hold spaces. */
const isEntry = /^(?:"[^"@]*"|[^\s@"<>]+)@[^\s@<>]+$/;

/** Domains, each with its subdomains. A top-level domain is written `*.xyz`, because a bare `xyz` may be a typo. */
function buildDomains(): ListBuilder<'domains'> {
  const domains = new Set<string>();
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
      domains.add(domain);
      return undefined;
    },
    list: {
      has: (written) => {
        const domain = written.length > mostCharacters ? undefined : hostName(withoutDot(written));
        if (domain === undefined) return false;
        for (let at = 0; at >= 0; at = domain.indexOf('.', at) + 1 || -1) {
          if (domains.has(domain.slice(at))) return true;
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

const mostWords = 8;
/** A higher count means no more. */
const mostCounted = 10;

/** Words and phrases, matched as whole words anywhere in a text. */
function buildWords(): ListBuilder<'words'> {
  const phrases = new Set<string>();
  /** The first words of longer phrases. */
  const begins = new Set<string>();
  let longest = 1;
  return {
    add: (entry) => {
      const words = wordsIn(entry);
      if (words.length === 0)
        return {
          code: 'list_entry_without_words',
          message: 'expected a word or a phrase, of letters or digits',
        };
      if (words.length > mostWords)
        return {
          code: 'list_phrase_too_long',
          message: `found ${words.length} words; a phrase may have ${mostWords}: write those that tell it from others`,
        };
      if (words.length > 1) begins.add(words[0] ?? '');
      longest = Math.max(longest, words.length);
      phrases.add(words.join(' '));
      return undefined;
    },
    list: {
      count: (text) => {
        const words = wordsIn(text);
        const found = new Set<string>();
        for (const [index, first] of words.entries()) {
          const most = begins.has(first) ? longest : 1;
          for (let length = 1; length <= most; length += 1) {
            const phrase = words.slice(index, index + length).join(' ');
            if (phrases.has(phrase)) found.add(phrase);
          }
          if (found.size >= mostCounted) break;
        }
        return found.size;
      },
    },
  };
}
