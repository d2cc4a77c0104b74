/** How much a sealed submission takes: of the code that seals it, nothing is needed to know that. */

/** A version, a nonce and a tag. */
export const sealOverhead = 1 + 12 + 16;

/** The overhead of a text that cannot be compressed, in bytes. */
export const deflateOverhead = 5;

/** The length before a text. */
export const lengthBytes = 2;

/** The packed size of a text of so many bytes. */
export const packedSize = (bytes: number): number => lengthBytes + bytes;
