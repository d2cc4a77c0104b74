/** The searchable parts of a document. */
import { type ArchiveDocument, isChangeMark } from '@form-relay/more-outputs/archive_layout';
import { isRemark } from '@form-relay/spam/score/marks';
import { readDocument } from '@form-relay/stored/archive/document';
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
  /** The words of the entry, separated by spaces. */
  readonly words: string;
}

/** @param known The fields of its form, if the config has it. */
export function textsOf(document: ArchiveDocument, known?: readonly TypedField[]): Texts {
  const { files, page } = document;
  const formOf = new Map(known?.map((field) => [field.name, field]));
  const fields = document.fields.map(({ in_words, ...field }) => ({
    ...field,
    // A field of parts is stored as JSON, with its words beside it.
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
  // Both the value and the label of an option are found.
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

/** The tokenizer folds ASCII by itself, and faster. */
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
    // Half of a pair.
    .replace(/[\ud800-\udbff]$/, '');

/**
 * A search in FTS5's syntax; `undefined` for an empty search, empty if it has only signs, which are no words. Each word
 * is in quotes: hostile ones are words.
 *
 * @param isExact No word of the search may be the beginning of one. Default: as the search says.
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

/** Whether an address stands in one of the documents, however it is spelled. */
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

// Texts as words, without case and accents. Scripts without spaces are cut into pairs of characters, so that all is found.

/** A word of a search. */
interface Wanted {
  readonly word: string;
  /** This word will do as well. */
  readonly also?: string;
  /** Words that begin with it will do. */
  readonly isPrefix: boolean;
}

/** The words of a text, those of addresses first. */
export function wordsOf(text: string): string[] {
  const words = addressWords(text);
  for (const { run, isUnspaced } of runsOf(text)) {
    if (!isUnspaced) words.push(run);
    // The last character is also a word by itself, so that a search for it finds the entry.
    else words.push(...pairsOf(run), lastOf(run));
  }
  return words;
}

/** The words that must all occur; the last may be cut, unless a quote ends it. @param isExact No word may be. */
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

/** Whether a search ends with an address, which is looked for as it is before it is taken for the beginning of one. */
export const endsWithAddress = (search = ''): boolean =>
  addressWord(search.trimEnd().split(around).at(-1) ?? '') !== undefined;

/** Longer ones are cut, such as encoded data. */
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

/** Decomposed to lose accents, then composed again: Hangul and kana have parts of their own that must stay. */
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

/** The marks that lengthen or repeat a character belong to several scripts. */
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
