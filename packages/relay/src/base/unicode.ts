/**
 * Sets of Unicode's characters, for `new RegExp`. V8 looks them up for every regular expression that stands in a file
 * as a literal, used or not, as soon as it loads the file: 2 ms of every cold start (ARCHITECTURE.md, invariant 9).
 */
export const letter = String.raw`\p{L}`;
export const mark = String.raw`\p{M}`;
export const number = String.raw`\p{N}`;
export const decimalDigit = String.raw`\p{Nd}`;
/** Controls, invisible formatting, surrogates, and what is not assigned. */
export const other = String.raw`\p{C}`;
export const control = String.raw`\p{Cc}`;
/** Such as the marks that turn the direction of text. */
export const format = String.raw`\p{Cf}`;
