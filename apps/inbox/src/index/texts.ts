/** The searchable parts of a document. */
import { type ArchiveDocument, isChangeMark } from '@form-relay/more-outputs/archive_layout';
import { isRemark } from '@form-relay/spam/score/marks';
import { readDocument } from '@form-relay/stored/archive/document';
import { occurrenceIn } from '@form-relay/stored/person/find';
import { addressWords, correspondentOf, summaryOf, type TypedField } from '../correspondent.ts';
import type { StoredAt } from '../entry_index.ts';
import { wantedWords, wordsOf } from '../words.ts';

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
