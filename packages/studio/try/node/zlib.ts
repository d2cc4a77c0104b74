/** Stands in for `node:zlib` in a browser, whose own streams answer later than the relay asks. */
import { deflateSync, Inflate } from 'fflate';
import { Buffer } from './buffer.ts';

export const deflateRawSync = (bytes: Uint8Array) => Buffer.from(deflateSync(bytes, { level: 6 }));

/** Throws where more would come than is allowed: after a piece of the input, and never all of it at once. */
export function inflateRawSync(bytes: Uint8Array, { maxOutputLength = Infinity } = {}): Buffer {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((piece) => {
    length += piece.length;
    if (length > maxOutputLength) throw new RangeError('more than is allowed');
    pieces.push(piece);
  });
  const pieceBytes = 4_096;
  for (let at = 0; at < bytes.length; at += pieceBytes)
    inflate.push(Uint8Array.from(bytes.subarray(at, at + pieceBytes)), at + pieceBytes >= bytes.length);
  return Buffer.concat(pieces);
}
