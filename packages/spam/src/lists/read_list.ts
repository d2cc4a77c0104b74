import { hostName } from '@form-relay/base/address';
import { sameAddress } from '@form-relay/base/canonical';
import { err, ok } from '@form-relay/base/result';
import type { Result } from '@form-relay/core/index';
import { name } from '@form-relay/schema/scalars';
import { jsonSchemaOf, type Schema, schema } from '@form-relay/schema/schema';
import { wordsIn } from '../words.ts';
import { buildModel, type Model } from './model.ts';

/** The kinds of list files, which have an entry per line. */
export const listKinds = ['words', 'addresses', 'domains', 'model'] as const;
export type ListKind = (typeof listKinds)[number];

/** A list file named in a config, relative to it. */
export interface ListFile<K extends ListKind = ListKind> {
  readonly kind: K;
  readonly path: string;
}

/** The query of each kind. */
export interface ListOf {
  /** Counts the distinct words and phrases of the list in a text, up to a few. */
  readonly words: { count(text: string): number };
  readonly addresses: { has(address: string): boolean };
  /** Whether the list has this domain or a parent of it. */
  readonly domains: { has(domain: string): boolean };
  /** Not a list of entries, but read, watched and replaced like one. */
  readonly model: { readonly model: Model | undefined };
}

/** The lists of a config. `undefined`: not loaded, as in a quick check while the config is edited. */
export interface Lists {
  of<K extends ListKind>(file: ListFile<K>): ListOf[K] | undefined;
}

export const noLists: Lists = { of: () => undefined };

/** A list under construction. */
export interface ListBuilder<K extends ListKind> {
  /** Adds a line without comments and surrounding spaces, or returns its mistake. */
  add(entry: string): Misread | undefined;
  /** Called once after all of it. Returns what is wrong with the whole. */
  end?(): Misread | undefined;
  readonly list: ListOf[K];
}

/** A mistake in an entry. Never quotes the entry, which may be an address. */
export interface Misread {
  /** Names the mistake for programs. */
  readonly code: string;
  readonly message: string;
}

/** The path of a list file, which is read once the config's keys are right. */
export const listFile = <K extends ListKind>(kind: K): Schema<ListFile<K>> =>
  schema(
    () => ({ ...jsonSchemaOf(name()), title: 'path of a list' }),
    (value, at) => {
      const path = name()(value, at);
      return path === undefined ? undefined : { kind, path };
    },
  );

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
  message: 'the file is not UTF-8 text; write one entry per line',
};
const tooLong: Misread = {
  code: 'list_entry_too_long',
  message: `an entry can have at most ${longestEntry} characters; write one entry per line`,
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
            'expected a mail address, such as ada@example.com; whole domains belong in a list of domains',
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
            'expected a domain such as example.com, without address, path or port; subdomains are included',
        };
      if (!isBelow && !domain.includes('.'))
        return {
          code: 'list_domain_too_wide',
          message: 'this is a top-level domain; to list all its subdomains, write *. before it',
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
          message: `found ${words.length} words; a phrase can have at most ${mostWords}: use the most distinctive ones`,
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
