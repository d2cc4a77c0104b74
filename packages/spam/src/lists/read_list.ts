import { hostName } from '@form-relay/base/address';
import { sameAddress } from '@form-relay/base/canonical';
import { err, ok } from '@form-relay/base/result';
import type { Diagnostics, Result, TopContext } from '@form-relay/core/index';
import { name } from '@form-relay/schema/scalars';
import { isMap, jsonSchemaOf, type Schema, schema } from '@form-relay/schema/schema';
import type { SpamBlock } from '../score/marks.ts';
import { wordsIn } from '../words.ts';
import { buildModel, type Model } from './model.ts';

/** The kinds of list files, which have one entry per line. */
export const listKinds = ['words', 'addresses', 'domains', 'model'] as const;
export type ListKind = (typeof listKinds)[number];

/** A list file named in a config, relative to it. */
export interface ListFile<K extends ListKind = ListKind> {
  readonly kind: K;
  readonly path: string;
}

/** How each kind of list is queried. */
export interface ListOf {
  /** Counts the distinct words and phrases of the list that a text contains, up to a limit. */
  readonly words: { count(text: string): number };
  readonly addresses: { has(address: string): boolean };
  /** Whether the list contains this domain or one of its parents. */
  readonly domains: { has(domain: string): boolean };
  /** Not a list of entries, but read, watched and replaced like one. */
  readonly model: { readonly model: Model | undefined };
}

/** The lists of a config. `undefined` if a list was not loaded, as in a quick check while the config is edited. */
export interface Lists {
  of<K extends ListKind>(file: ListFile<K>): ListOf[K] | undefined;
}

export const noLists: Lists = { of: () => undefined };

/** A list under construction. */
export interface ListBuilder<K extends ListKind> {
  /** Adds a line, stripped of comments and surrounding spaces, or returns what is wrong with it. */
  add(entry: string): Misread | undefined;
  /** Called once after the last line. Returns what is wrong with the whole list. */
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

/** A mistake and its place in the text, in UTF-16 units. */
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

/** A file with more mistakes is probably not a list. */
const mostProblems = 100;
/** No address, domain or phrase is longer than this. */
const longestEntry = 320;
/** Lines between yields to the event loop, which take a few milliseconds. */
const linesAtOnce = 1_000;

/**
 * Reads a list, one entry per line. Skips blank lines, lines that start with `#`, and text after a space and
 * `#`. Yields to the event loop, because a million lines take seconds.
 */
export async function readList<K extends ListKind>(kind: K, text: string): Promise<ReadList<K>> {
  const { add, end, list } = builders[kind]();
  const problems: Misplaced[] = [];
  let entries = 0;
  let lines = 0;
  // A regular expression would overflow its stack on a large file with a single line.
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

/** Found in UTF-16 and compressed files. */
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

/** Mail addresses. An entry also matches its variants with a `+`. */
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

/** Matches one bare address. Only a quoted part may contain spaces. */
const isEntry = /^(?:"[^"@]*"|[^\s@"<>]+)@[^\s@<>]+$/;

/** Domains with their subdomains. A top-level domain is written `*.xyz`, because a bare `xyz` may be a typo. */
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

/** No domain name is longer than this. */
const mostCharacters = 255;

/** Drops the trailing dot of an absolute name (RFC 1034, 3.1). */
const withoutDot = (domain: string) => (domain.endsWith('.') ? domain.slice(0, -1) : domain);

const mostWords = 8;
/** A higher count would not change the score. */
const mostCounted = 10;

/** Words and phrases, which match only whole words, anywhere in a text. */
function buildWords(): ListBuilder<'words'> {
  const phrases = new Set<string>();
  /** The first words of phrases of two words or more. */
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

const isListFile = (value: unknown): value is ListFile =>
  isMap(value) && listKinds.some((kind) => kind === value.kind);

interface Named {
  readonly file: ListFile;
  readonly at: Diagnostics;
}

/** The list files that a config names, each once. */
function listsNamedIn(at: Diagnostics, { topSpam, forms }: TopContext): ReadonlyMap<string, Named> {
  const named = new Map<string, Named>();
  const add = ({ signals = new Map() }: SpamBlock, place: Diagnostics) => {
    for (const [signal, { keys }] of signals)
      for (const [key, file] of Object.entries(keys))
        if (isListFile(file) && !named.has(keyOf(file)))
          named.set(keyOf(file), { file, at: place.in('spam', 'signals', signal, key) });
  };
  add(topSpam, at);
  for (const [id, { spam }] of forms) add(spam ?? {}, at.in('forms', id));
  return named;
}

/** Loads the list files of a config, one after the other, so that only one text is in memory. */
export function loadLists(at: Diagnostics, context: TopContext): Lists | Promise<Lists> {
  const named = listsNamedIn(at, context);
  return named.size === 0 ? noLists : readAll(named, context);
}

async function readAll(
  named: ReadonlyMap<string, Named>,
  { readSibling }: Pick<TopContext, 'readSibling'>,
): Promise<Lists> {
  const lists = new Map<string, unknown>();
  for (const [key, { file, at }] of named) {
    const sibling = await readSibling(file.path);
    if (!sibling.ok) {
      at.error(`${file.path}: ${sibling.error}`, { code: 'list_unreadable' });
      continue;
    }
    const made = await readList(file.kind, sibling.value.text);
    if (made.ok) {
      if (made.value.entries === 0)
        at.warning(`${file.path} has no entries, so it has no effect`, { code: 'list_empty' });
      lists.set(key, made.value.list);
      continue;
    }
    const mistakes = made.error.map((one) => ({ path: [], ...one }));
    await sibling.value.report(mistakes, (mistake) => {
      const { offset = 0, length = 1 } = mistakes.find((one) => one === mistake) ?? {};
      return { offset, length };
    });
  }
  return {
    of: <K extends ListKind>(file: ListFile<K>) => lists.get(keyOf(file)) as ListOf[K] | undefined,
  };
}

const keyOf = ({ kind, path }: ListFile) => `${kind} ${path}`;
