/** Unicode classes for `new RegExp`. V8 looks up those in literals as soon as it loads the file: 2 ms of every cold start. */
export const letter = String.raw`\p{L}`;
export const mark = String.raw`\p{M}`;
export const numberSign = String.raw`\p{N}`;
export const decimalDigit = String.raw`\p{Nd}`;
export const control = String.raw`\p{Cc}`;
/** For example, bidirectional marks. */
export const format = String.raw`\p{Cf}`;

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

/** Telephone numbers with their country, not `GMT+1`. */
const telephoneNumbers = /\+\d[\d ]{2,}\d/g;

/** Isolates what right-to-left letters would reorder: telephone numbers, text after a label, and a line without letters. */
export const withIsolates = (line: string): string =>
  hasLetter(line)
    ? line.replaceAll(telephoneNumbers, isolated).replace(/(?<=[:?؟] ).+/, isolated)
    : line.replace(/[^\s•].*/, isolated);
