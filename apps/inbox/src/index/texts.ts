/** Extracts the searchable text of a document. */
import { type ArchiveDocument, isChangeMark } from '@form-relay/more-outputs/archive_layout';
import { isRemark } from '@form-relay/spam/score/marks';
import { readDocument } from '@form-relay/stored/archive/read_entry';
import { occurrenceIn } from '@form-relay/stored/person/find';
import {
  type Address,
  addressWord,
  addressWords,
  around,
  correspondentOf,
  summaryOf,
  type TypedField,
} from '../correspondent.ts';
import type { StoredAt } from '../entry_index.ts';

export interface Texts {
  readonly sender: string;
  readonly summary: string;
  readonly files: number;
  /** The entry's words, separated by spaces. */
  readonly words: string;
}

/** @param known The form's fields, if it is in the config. */
export function textsOf(document: ArchiveDocument, known?: readonly TypedField[]): Texts {
  const { files, page } = document;
  const formOf = new Map(known?.map((field) => [field.name, field]));
  const fields = document.fields.map(({ in_words, ...field }) => ({
    ...field,
    // A field with parts is stored as JSON, and its text next to it.
    values:
      in_words ??
      field.values.map(
        (value) => formOf.get(field.name)?.options?.find(([one]) => one === value)?.[1] ?? value,
      ),
    isOfParts: in_words !== undefined,
  }));
  const typed = fields.filter(({ name }) => !isRemark(name) && !isChangeMark(name));
  const { name, email, message } = correspondentOf(
    typed.flatMap((field) => (field.isOfParts ? [] : [{ ...field, type: formOf.get(field.name)?.type }])),
  );
  const sender = cut(name && email ? `${name} <${email}>` : name || email, 200);
  // A search finds both the value and the label of an option.
  const stored = document.fields.filter(({ in_words }) => !in_words);
  const values = new Set([...fields, ...stored].flatMap(({ values }) => values));
  const texts = [...values, ...files.map(({ name }) => name), page?.title ?? '', page?.url ?? ''];
  return {
    sender,
    summary: cut(
      summaryOf(
        typed.flatMap(({ values }) => values),
        [name, email],
        message,
      ),
      160,
    ),
    files: files.length,
    words: indexed(texts.join('\n')),
  };
}

/** The tokenizer folds ASCII itself, and faster. */
const indexed = (text: string) =>
  /^[\x01-\x7f]*$/.test(text) && !/[a-z0-9]{64}/i.test(text)
    ? [text, ...addressWords(text)].join(' ')
    : wordsOf(text).join(' ');

export const cut = (text: string, most: number): string =>
  text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    // Cuts off half of a surrogate pair.
    .replace(/[\ud800-\udbff]$/, '');

/**
 * Builds a search in FTS5 syntax. `undefined` for an empty search; an empty string if it contains only
 * punctuation. Words are quoted, so FTS5 operators in them are inert.
 *
 * @param isExact Whether the last word must be complete. Default: as the search says.
 */
export function matchOf(search = '', isExact?: boolean): string | undefined {
  const words = wantedWords(search, isExact).map(({ word, also, isPrefix }) => {
    const found = isPrefix ? `${quoted(word)}*` : quoted(word);
    return also === undefined ? found : `(${found} OR ${quoted(also)})`;
  });
  if (search.trim() !== '' && words.length === 0) return '';
  const all = [...new Set(words)];
  return all.length > 0 ? all.slice(0, 64).join(' AND ') : undefined;
}

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;

/** Whether one of the documents contains an address in any spelling. */
export async function holdsAddress(
  stored: readonly StoredAt[],
  email: string,
  read: (at: StoredAt) => Promise<Uint8Array | string>,
): Promise<boolean> {
  for (const at of stored) {
    const bytes = at.path.endsWith('.age') ? '' : await read(at);
    const document = typeof bytes === 'string' ? undefined : readDocument(bytes);
    if (!document?.ok) continue;
    const values = document.value.fields.flatMap((field) => field.values);
    if (occurrenceIn(email, values)) return true;
  }
  return false;
}

// Splits text into words, without case and accents. In scripts without spaces, each pair of characters is a
// word, so that any part is found.

/** A word in a search. */
interface Wanted {
  readonly word: string;
  /** An alternative word. */
  readonly also?: string;
  /** Whether it also matches longer words that begin with it. */
  readonly isPrefix: boolean;
}

/** The words of a text, addresses first. */
export function wordsOf(text: string): string[] {
  const words = addressWords(text);
  for (const { run, isUnspaced } of runsOf(text)) {
    if (!isUnspaced) words.push(run);
    // The last character is also a word of its own, so that a search for it alone succeeds.
    else words.push(...pairsOf(run), lastOf(run));
  }
  return words;
}

/** The words that must all occur. The last one is a prefix unless a quote ends it. @param isExact Whether no word is a prefix. */
export function wantedWords(search: string, isExact = /["”]\s*$/.test(search)): Wanted[] {
  const pieces = search.split(around).flatMap((piece): readonly (Address | Run)[] => {
    const address = addressWord(piece);
    return address ? [address] : [...runsOf(piece)];
  });
  return pieces.flatMap((piece, index): Wanted[] => {
    const isPrefix = !isExact && index === pieces.length - 1;
    if ('word' in piece) return [{ ...piece, isPrefix }];
    const { run, isUnspaced } = piece;
    if (!isUnspaced) return [{ word: run, isPrefix }];
    const pairs = pairsOf(run);
    return pairs.length > 0
      ? pairs.map((word) => ({ word, isPrefix: false }))
      : [{ word: run, isPrefix: true }];
  });
}

/** Whether a search ends with an address, which is first searched as a whole, then as a prefix. */
export const endsWithAddress = (search = ''): boolean =>
  addressWord(search.trimEnd().split(around).at(-1) ?? '') !== undefined;

/** Longer words, such as encoded data, are truncated. */
const mostWordCharacters = 64;

interface Run {
  readonly run: string;
  readonly isUnspaced: boolean;
}

function* runsOf(text: string): Generator<Run> {
  for (const [letters] of folded(text).matchAll(/[\p{L}\p{N}\p{M}ー]+/gu)) {
    const parts = hasUnspaced.test(letters) ? letters.split(unspacedRun).filter(Boolean) : [letters];
    for (const part of parts) {
      const isUnspaced = hasUnspaced.test(part);
      yield { run: isUnspaced ? part : part.slice(0, mostWordCharacters), isUnspaced };
    }
  }
}

/** Decomposes characters to drop accents, then recomposes: parts of Hangul and kana must stay. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u0307ßæœøđłðþıς]/g, (letter) => plain[letter] ?? '');

const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** Marks that lengthen or repeat a character belong to several scripts. */
const unspaced = `[ー々〆${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((name) => `\\p{Script=${name}}`)
  .join('')}]`;
const hasUnspaced = new RegExp(unspaced, 'u');
const unspacedRun = new RegExp(`(${unspaced}+)`, 'u');

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const lastOf = (run: string) => [...run].at(-1) ?? '';
