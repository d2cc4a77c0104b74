/** A value below or behind its label, in plain text. */
import { closingBracket, closingQuote, letter, mark, number, symbol } from './unicode.ts';

/**
 * An entry where there is nothing but text. A value of several lines stands below its label and is indented, so that no line of it looks
 * like another field's.
 */
export const labelled = (label: string, value: string, isBlock = value.includes('\n')): string =>
  isBlock ? below(label, value) : `${withColon(label)} ${value}`;

export const below = (label: string, value: string): string =>
  `${withColon(label)}\n${value.replaceAll(/^(?=.)/gm, '    ')}`;

const wordEnds = [letter, mark, number, symbol, closingBracket, closingQuote, `"'%…`];
let takesColon: RegExp | undefined;

/** Many labels are questions or sentences, which end in a mark of their own. A bracket, a quote or a unit such as % or € ends none. */
export function withColon(label: string): string {
  takesColon ??= new RegExp(`[${wordEnds.join('')}]$`, 'u');
  return takesColon.test(label) ? `${label}:` : label;
}
