/** Text for people: it reads as it is, on lines that nobody can forge. */

const isHarmless = /^[ -~]*$/;

/** The same as `withoutControls`, with its tabs. */
export const readable = (text: string): string =>
  isHarmless.test(text)
    ? text
    : text
        .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
        .replaceAll(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g,
          '',
        )
        .replaceAll(/[\ud800-\udfff]/gu, '\ufffd');

/**
 * Without controls, and without what turns the direction of text, so that what is read is what is there. A line break is
 * one LF.
 */
export const withoutControls = (text: string): string => readable(text).replaceAll('\t', '    ');

/** Without surrounding space and repeated empty lines. */
export const plain = (text: string): string =>
  isHarmless.test(text)
    ? text.trim()
    : withoutControls(text)
        .replaceAll(/\n\s*\n/g, '\n\n')
        .trim();

export const plainLine = (text: string): string => plain(text).replaceAll(/\n+/g, ' ');

/**
 * An entry where there is nothing but text. A value of several lines stands below its label and is indented, so that no
 * line of it looks like another field's.
 */
export const labelled = (label: string, value: string, isBlock = value.includes('\n')): string =>
  isBlock ? `${withColon(label)}\n${value.replaceAll(/^(?=.)/gm, '    ')}` : `${withColon(label)} ${value}`;

let takesColon: RegExp | undefined;

/** Many labels are questions or sentences, which end in a mark of their own. A bracket, a quote or a unit such as % or € ends none. */
export function withColon(label: string): string {
  // As text, since V8 looks up classes of Unicode when it loads a literal: 2 ms of every cold start.
  takesColon ??= /[\p{L}\p{M}\p{N}\p{S}\p{Pe}\p{Pf}"'%…]$/u;
  return takesColon.test(label) ? `${label}:` : label;
}
