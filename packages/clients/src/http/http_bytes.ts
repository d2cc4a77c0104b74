export const lf = 0x0a;
export const cr = 0x0d;
const tab = 0x09;
export const space = 0x20;
export const zero = 0x30;
export const colon = 0x3a;
export const semicolon = 0x3b;

export const isDigit = (byte: number) => byte >= zero && byte <= 0x39;

export const isBlank = (byte: number) => byte === space || byte === tab;

export const isLineBreak = (byte: number | undefined) => byte === lf || byte === cr;

const bytesThat = (matches: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(matches.test(String.fromCharCode(byte))));

/** RFC 9110, 5.6.2. */
export const inToken = bytesThat(/[!#$%&'*+\-.^_`|~\w]/);
/** RFC 9110, 5.5. */
export const inValue = bytesThat(/[\t\x20-\x7e\x80-\xff]/);
/** Values of hexadecimal digits; 16 for every other byte. */
export const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});
