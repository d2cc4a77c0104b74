/** Index words for mail addresses: the address as written, ignoring case, and its domain's spellings. */

import { comparable } from '@form-relay/base/canonical';

/** Prefix of the index word for an address. No other word contains it. */
const ofAddress = '\u{10fffc}';
/** Maps punctuation to private-use characters, because the tokenizer would split at punctuation. */
const firstSign = 0x10fe00;
const mostCharacters = 320;

/** Separators between addresses. */
export const around = /[\s<>()[\]{},;:"“”„«»|\\]+/u;

const trimmed = (run: string) => run.replace(/^[.'’*]+|[.!?'’*]+$/gu, '');

export interface Address {
  readonly word: string;
  /** The same word with its domain in the other spelling. */
  readonly also?: string;
}

/** Index words for all addresses in a text. */
export function addressWords(text: string): string[] {
  const words = new Set<string>();
  if (!text.includes('@')) return [];
  for (const run of text.split(around)) {
    if (!run.includes('@') || run.length > mostCharacters) continue;
    // An address may follow `=`, `/`, `?` or `&`, as in links.
    for (const one of new Set([run, run.split(/[=/?&]/).at(-1) ?? ''])) {
      const domain = one.slice(one.lastIndexOf('@'));
      for (const part of [one, domain])
        for (const word of Object.values(addressWord(part) ?? {})) words.add(word);
    }
  }
  return [...words];
}

/** The index word for an address or its prefix; `undefined` for anything else. */
export function addressWord(run: string): Address | undefined {
  if (run.length > mostCharacters) return undefined;
  const address = trimmed(run).normalize('NFKC').toLowerCase();
  if (!address.includes('@') || address === '@') return undefined;
  const word = encoded(address);
  const also = encoded(comparable(address));
  return also === word ? { word } : { word, also };
}

const encoded = (address: string) =>
  ofAddress +
  address.replaceAll(/[^\p{L}\p{N}]/gu, (sign) =>
    sign.length === 1 && sign < '\x7f' ? String.fromCodePoint(firstSign + sign.charCodeAt(0)) : sign,
  );

/** Guesses the sender and the message of a submission from its fields' names, labels and values. */

export interface NamedField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** The field's type in the form, if known. */
  readonly type?: string | undefined;
}

/** A field, with its properties from the form's config. */
export interface TypedField extends Pick<NamedField, 'name' | 'type'> {
  readonly options?: readonly (readonly [value: string, label: string])[] | undefined;
}

/** Each is empty if it cannot be guessed. */
interface Correspondent {
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

export function correspondentOf(fields: readonly NamedField[]): Correspondent {
  const first = (isRight: (text: string, value: string) => boolean) =>
    fields
      .find(({ name, label, values: [value = ''] }) => value && isRight(`${name} ${label}`, value))
      ?.values[0]?.trim() ?? '';
  const email =
    first((text, value) => /e-?mail|correo|courriel/i.test(text) && isAddress(value)) ||
    first((_, value) => isAddress(value));
  const name = first(
    (text, value) => /\b(full.?)?name\b|\bnom(bre)?\b|\bnome\b/i.test(text) && !isAddress(value),
  );
  return { name, email, message: messageIn(fields, [name, email]) };
}

/** The first text of several lines; else the longest text of several words. */
function messageIn(fields: readonly NamedField[], sender: readonly string[]): string {
  const long = fields.find(({ type, values: [value = ''] }) => type === 'textarea' && value.trim() !== '');
  const texts = fields.flatMap(({ values }) => values).filter((value) => !sender.includes(value.trim()));
  const longest = texts
    .filter((value) => /\S\s+\S/.test(value))
    .reduce((most, value) => (value.length > most.length ? value : most), '');
  return long?.values[0] ?? longest;
}

/** Puts the message first, and leaves out the sender. */
export function summaryOf(values: readonly string[], sender: readonly string[], message: string): string {
  const others = values.filter((value) => value !== message && !sender.includes(value.trim()));
  return [message, ...others].filter(Boolean).map(isolated).join(' · ');
}

/** Isolates right-to-left text (U+2068, U+2069), so that it does not reorder its neighbours. */
const isolated = (text: string) => (fromRight.test(text) ? `\u2068${text}\u2069` : text);
const fromRight = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export const isAddress = (text: string): boolean =>
  text.length < 321 && /^[^\s@<>]+@[^\s@<>]+$/.test(text.trim());
