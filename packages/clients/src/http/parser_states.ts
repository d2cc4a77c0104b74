import { colon, cr, inToken, inValue, isBlank, lf } from './http_bytes.ts';

/** States, named by what comes next. */
export const beforeHead = 0;
export const statusLine = 1;
export const reason = 2;
export const lineFeed = 3;
export const fieldStart = 4;
const fieldName = 5;
const fieldValue = 6;
const fieldLineFeed = 7;
const nextField = 8;
const lastLineFeed = 9;
export const lastOfHead = lastLineFeed;
export const headEnd = 10;
export const malformed = 11;
export const fixedLength = 12;
export const untilEnd = 13;
export const chunk = 14;
/** States up to this one, and above `malformed`, read a body. */
export const lastWithBody = 14;
export const chunkSize = 15;
export const chunkExtension = 16;
export const chunkSizeLineFeed = 17;
export const afterChunk = 18;
export const afterChunkLineFeed = 19;

export const template = 'HTTP/_._ ';

/** The state after a byte of a header, or of a trailer. */
export function afterFieldByte(state: number, byte: number): number {
  switch (state) {
    case fieldValue:
      if (byte === cr) return fieldLineFeed;
      return inValue[byte] ? fieldValue : malformed;
    case fieldName:
      if (byte === colon) return fieldValue;
      return inToken[byte] ? fieldName : malformed;
    case fieldLineFeed:
      return byte === lf ? nextField : malformed;
    case lastLineFeed:
      return byte === lf ? headEnd : malformed;
    default:
      if (byte === cr) return lastLineFeed;
      if (state === nextField && isBlank(byte)) return fieldValue;
      return inToken[byte] ? fieldName : malformed;
  }
}

/** A header that goes on in another line. */
export const isFolded = /\r\n[\t ]/;

/** The versions that Node accepts, by their two digits. */
export const versions = new Set(
  ['09', '10', '11', '20'].map((digits) => digits.charCodeAt(0) * 256 + digits.charCodeAt(1)),
);
