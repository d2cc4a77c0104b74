/** Splits text into comparable words, in time linear in its length. */

import { format, letter, mark, numberSign } from '@form-relay/base/unicode';
import type { Submission } from '@form-relay/core/index';

const invisible = new RegExp(`[${mark}${format}]`, 'gu');
/** Scripts without spaces: each of their letters counts as a word. */
export const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[${letter}${numberSign}])+`, 'gu');

/**
 * The words of a text, normalized: lower case, without accents and invisible characters, and with plain letters for fancy ones.
 *
 * Marks go before the text is taken apart: many of them in a row take a time that grows with their square to be put in order.
 */
export function wordsIn(text: string): readonly string[] {
  // Sooner, and most texts in English have no others.
  if (isAscii.test(text)) return text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  const bare = unexpanded(text)
    .replaceAll(invisible, '')
    .normalize('NFKD')
    .slice(0, 4 * text.length);
  return bare.replaceAll(invisible, '').toLowerCase().match(word) ?? [];
}

/** Drops two ligatures of a blessing, which expand to 8 and 18 characters: a body full of them would outgrow any other. */
export const unexpanded = (text: string): string => text.replaceAll(/[\ufdfa\ufdfb]/g, ' ');

export const isAscii = /^[\0-\x7f]*$/;

/** A web address as people read it. */
export const link = /\bhttps?:\/\/[^\s<>"'[\]]+|\bwww\.[^\s<>"'[\]]+/gi;

/** A site written as a bare name, of the kinds that advertise so: `offer.shop`. Skips the domain after an `@`. */
export const bareSite =
  /(?<![@\w.-])(?:[a-z\d-]{1,63}\.){1,3}(?:biz|club|co|com|info|live|net|online|pro|shop|site|store|studio|top|xyz)\b(?![@.-]?\w)/gi;

/** Most texts name no site; this finds out faster. */
export const mayNameSite = (text: string): boolean => /\.[a-z]/i.test(text);

export const withoutLinks = (text: string): string => text.replaceAll(link, ' ');

/** State of a submission that the checks of this package share. */

/** Set to `true`: its sender solved a challenge. */
export const isProven = Symbol('is proven');
/** Set to `true`: it came with a solution that was used before. */
export const hasUsedProof = Symbol('has used proof');
/** The verdict of the spam score (`Judgment`). */
export const spamJudgment = Symbol('spam judgment');
/** Set to `all` by a feature that vouches for a program: no check for browsers is needed; to `dropping`: none that drops in silence. */
export const passes = Symbol('passes');
/** Set to a reason to doubt it, in the owner's words, whatever the signals say. */
export const suspicion = Symbol('suspicion');
/** Whether a check for browsers is not needed. */
export const isExcused = (submission: Submission, isDropping: boolean): boolean => {
  const passed = submission.getState(passes);
  return passed === 'all' || (isDropping && passed === 'dropping');
};
