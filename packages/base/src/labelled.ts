/** A value below or behind its label, in plain text. */
import { letter, mark, numberSign } from './unicode.ts';

/** A plain-text entry. Values of several lines stand below the label and are indented, so that no line looks like another field. */
export const labelled = (label: string, value: string, isBlock = value.includes('\n')): string =>
  isBlock ? below(label, value) : `${withColon(label)} ${value}`;

export const below = (label: string, value: string): string =>
  `${withColon(label)}\n${value.replaceAll(/^(?=.)/gm, '    ')}`;

/** Letters, numbers, symbols such as `€`, and what closes a bracket or a quote. */
const wordEnds = String.raw`${letter}${mark}${numberSign}\p{S}\p{Pe}\p{Pf}"'%…`;
let takesColon: RegExp | undefined;

/** Many labels are questions or sentences, which end in a mark of their own. A bracket, a quote or a unit such as % or € ends none. */
export function withColon(label: string): string {
  takesColon ??= new RegExp(`[${wordEnds}]$`, 'u');
  return takesColon.test(label) ? `${label}:` : label;
}
