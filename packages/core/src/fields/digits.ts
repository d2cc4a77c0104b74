/** Digits that people type on keyboards of other scripts, as the ones of ASCII. */

/** Full-width, Arabic, Persian and Devanagari digits, full-width letters and punctuation; without the marks of right-to-left text. */
export const asciiDigits = (text: string): string =>
  isAscii.test(text)
    ? text
    : text
        .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
        .replaceAll(/[\u00a0\u202f\u3000]/g, ' ')
        .replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
        .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
        .replaceAll(/[\u0966-\u096f]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
        .trim();

const isAscii = /^[\0-\x7f]*$/;

/** The same with the signs of numbers: `٣٬٠٠٠٫٥` is `3000.5`. */
export const asciiNumber = (text: string): string =>
  asciiDigits(text.replaceAll(thousands, ''))
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', '')
    .replaceAll('\u2212', '-');

/** Full-width commas between full-width digits. */
const thousands = /(?<=[０-９])，(?=[０-９]{3}(?![０-９]))/g;
