/**
 * Unicode classes for `new RegExp`. As soon as V8 loads a file, it looks them up for every regular expression literal,
 * used or not: 2 ms of every cold start (ARCHITECTURE.md, invariant 7).
 */
export const letter = String.raw`\p{L}`;
export const mark = String.raw`\p{M}`;
export const number = String.raw`\p{N}`;
export const decimalDigit = String.raw`\p{Nd}`;
/** Controls, format characters, surrogates and unassigned code points. */
export const other = String.raw`\p{C}`;
export const control = String.raw`\p{Cc}`;
/** Such as bidirectional marks. */
export const format = String.raw`\p{Cf}`;
