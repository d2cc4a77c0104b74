/** How much a sealed submission takes: of the code that seals it, nothing is needed to know that. */

/** A version, a nonce and a tag. */
export const sealOverhead = 1 + 12 + 16;

/** Of a text that cannot be compressed. */
export const deflateOverhead = 5;

/** The length before a text. */
export const lengthBytes = 2;

/** What a text of so many bytes takes. */
export const packedSize = (bytes: number): number => lengthBytes + bytes;
