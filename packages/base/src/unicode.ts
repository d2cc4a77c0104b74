/** Unicode classes for `new RegExp`. V8 resolves classes in literals as soon as it loads the file: 2 ms of every cold start. */
export const letter = '\\p{L}';
export const mark = '\\p{M}';
export const numberSign = '\\p{N}';
export const decimalDigit = '\\p{Nd}';
export const control = '\\p{Cc}';
/** For example, bidirectional marks. */
export const format = '\\p{Cf}';

let letters: RegExp | undefined;

function firstLetter(text: string): string | undefined {
  letters ??= new RegExp(letter, 'u');
  return letters.exec(text)?.[0];
}

export const hasLetter = (text: string): boolean => firstLetter(text) !== undefined;

/** Any letter or mark that is written from right to left. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud803|\ud83a|\ud83b/;

export function directionOf(text: string, otherwise: 'ltr' | 'rtl'): 'ltr' | 'rtl' {
  const first = firstLetter(text);
  if (first === undefined) return otherwise;
  return rightToLeft.test(first) ? 'rtl' : 'ltr';
}

/** UAX 9, 2.4: the text between them takes the direction of its first letter and does not reorder the text around it. */
export const isolates = /([\u2068\u2069])/g;
const isolated = (text: string): string => `\u2068${text}\u2069`;

/** Telephone numbers with a country code, but not `GMT+1`. */
const telephoneNumbers = /\+\d[\d ]{2,}\d/g;

/** Isolates what right-to-left letters would reorder: telephone numbers, text after a label, and a line without letters. */
export const withIsolates = (line: string): string =>
  hasLetter(line)
    ? line.replaceAll(telephoneNumbers, isolated).replace(/(?<=[:?؟] ).+/, isolated)
    : line.replace(/[^\s•].*/, isolated);

// Numbers as people type them, with the digits of any keyboard. The relay and the script of its forms share this file.

const ascii = /^[\0-\x7f]*$/;

let ignorable: RegExp | undefined;

/** Removes invisible characters (UAX 44: Default_Ignorable_Code_Point), such as zero-width spaces and direction marks. */
export function visible(text: string): string {
  if (ascii.test(text)) return text;
  ignorable ??= /\p{DI}+/gu;
  return text.replace(ignorable, '');
}

/** Converts to ASCII what keyboards of other scripts type: full-width characters, and Arabic, Persian and Devanagari digits. */
export const asciiDigits = (text: string): string =>
  ascii.test(text)
    ? text
    : visible(text)
        .replace(/[\u00a0\u202f\u3000]/g, ' ')
        .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
        .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
        .replace(/[\u0966-\u096f]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
        .trim();

/** Like `asciiDigits`, including the signs of numbers: `٣٬٠٠٠٫٥` becomes `3000.5`. */
export const asciiNumber = (text: string): string =>
  asciiDigits(visible(text).replace(thousands, '$1'))
    .replace(/\u066b/g, '.')
    .replace(/\u066c/g, '')
    .replace(/\u2212/g, '-');

/** Full-width commas between full-width digits. */
const thousands = /([０-９])，(?=[０-９]{3}(?![０-９]))/g;

/** The value of a valid HTML floating-point number; NaN for any other text. */
export function floatIn(text: string): number {
  const number = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

/** Whether `n` is a whole number of steps from `base`, in exact decimal arithmetic: 0.3 is three steps of 0.1. */
export function isMultiple(n: number, base: number, step: number): boolean {
  const decimals = [n, base, step].map((one) => {
    const [mantissa = '0', exponent = '0'] = one.toExponential().split('e');
    const [whole = '0', fraction = ''] = mantissa.split('.');
    return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
  });
  const least = Math.min(...decimals.map(({ exponent }) => exponent));
  const [a = 0n, b = 0n, s = 1n] = decimals.map(
    ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least),
  );
  return (a - b) % s === 0n;
}

/** All digits of any script, as ASCII, without anything else. */
export function digitsIn(text: string): string {
  const digit = new RegExp(decimalDigit, 'u');
  /** Unicode puts the ten digits of a script side by side, so counting the digits before one gives its value. */
  const digitAt = (point: number): number =>
    digit.test(String.fromCodePoint(point - 1)) ? (digitAt(point - 1) + 1) % 10 : 0;
  return [...text.matchAll(new RegExp(digit, 'gu'))]
    .map(([found]) => digitAt(found.codePointAt(0) as number))
    .join('');
}

// A value below or after its label, in plain text.

/** A plain-text entry. A value of several lines is put below its label and indented, so that no line looks like another field. */
export const labelled = (label: string, value: string, isBlock = value.includes('\n')): string =>
  isBlock ? below(label, value) : `${withColon(label)} ${value}`;

export const below = (label: string, value: string): string =>
  `${withColon(label)}\n${value.replaceAll(/^(?=.)/gm, '    ')}`;

/** Letters, numbers, symbols such as `€`, and closing brackets and quotes. */
const wordEnds = `${letter}${mark}${numberSign}\\p{S}\\p{Pe}\\p{Pf}"'%…`;
let takesColon: RegExp | undefined;

/**
 * Adds a colon to a label, unless it already ends in punctuation, as questions and sentences do. A bracket, a
 * quote or a unit such as % or € is not such an ending.
 */
export function withColon(label: string): string {
  takesColon ??= new RegExp(`[${wordEnds}]$`, 'u');
  return takesColon.test(label) ? `${label}:` : label;
}
