/** Splits text into comparable words, in time linear in its length. */

import { format, letter, mark, numberSign } from '@form-relay/base/unicode';

const invisible = new RegExp(`[${mark}${format}]`, 'gu');
/** Scripts without spaces, in which each letter counts as a word. */
export const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[${letter}${numberSign}])+`, 'gu');

/**
 * The words of a text, normalized: lower case, without accents and invisible characters, and with plain
 * letters for fancy ones.
 *
 * Removes marks before normalizing, because reordering a long run of marks takes quadratic time.
 */
export function wordsIn(text: string): readonly string[] {
  // A shortcut, which applies to most English texts.
  if (isAscii.test(text)) return text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  const bare = unexpanded(text)
    .replaceAll(invisible, '')
    .normalize('NFKD')
    .slice(0, 4 * text.length);
  return bare.replaceAll(invisible, '').toLowerCase().match(word) ?? [];
}

/** Drops two Arabic ligatures, which expand to 8 and 18 characters and would blow up a body full of them. */
export const unexpanded = (text: string): string => text.replaceAll(/[\ufdfa\ufdfb]/g, ' ');

export const isAscii = /^[\0-\x7f]*$/;

/** A web address as people read it. */
export const link = /\bhttps?:\/\/[^\s<>"'[\]]+|\bwww\.[^\s<>"'[\]]+/gi;

/** A site written as a bare name, under a top-level domain that is common in spam: `offer.shop`. Skips the domain after an `@`. */
export const bareSite =
  /(?<![@\w.-])(?:[a-z\d-]{1,63}\.){1,3}(?:biz|club|co|com|info|live|net|online|pro|shop|site|store|studio|top|xyz)\b(?![@.-]?\w)/gi;

/** A quick test, because most texts name no site. */
export const mayNameSite = (text: string): boolean => /\.[a-z]/i.test(text);

export const withoutLinks = (text: string): string => text.replaceAll(link, ' ');

/** Bits of `signsIn`. Signals skip patterns that need a sign which the text lacks. */
export const sign = {
  digit: 1,
  at: 2,
  slash: 4,
  question: 8,
  /** `[`, `{` or `%`. */
  gap: 16,
  tag: 32,
  /** `//` or `w.`, which every link contains. */
  link: 64,
  /** A letter right after `.`, `/` or `@`, which every site and mailbox name contains. */
  target: 128,
  /** A character that is not ASCII. */
  foreign: 256,
} as const;

const [dot, asciiLetter] = [512, 1_024] as const;
const signOf = new Uint16Array(128);
for (const [characters, bit] of [
  ['0123456789', sign.digit],
  ['@', sign.at],
  ['/', sign.slash],
  ['?', sign.question],
  ['[{%', sign.gap],
  ['<', sign.tag],
  ['.', dot],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', asciiLetter],
] as const)
  for (const one of characters) signOf[one.charCodeAt(0)] = bit;
const beforeTarget = dot | sign.slash | sign.at;
const letterW = 0x77;

/** The signs that a text may contain: all of them if it is not ASCII. */
export function signsIn(text: string): number {
  let signs = 0;
  let before = 0;
  let codeBefore = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return 0xffff;
    const bit = signOf[code] as number;
    signs |= bit;
    if (bit === asciiLetter && before & beforeTarget) signs |= sign.target;
    else if (bit === dot ? (codeBefore | 0x20) === letterW : bit === sign.slash && before === bit)
      signs |= sign.link;
    before = bit;
    codeBefore = code;
  }
  return signs;
}
