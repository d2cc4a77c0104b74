import type { Transform } from 'node:stream';
import { Bytes } from '@form-relay/core/http/bytes';
import type { HttpAnswer } from '@form-relay/core/services';

interface Coded extends Pick<HttpAnswer, 'headers' | 'unknownCoding'> {
  readonly body: Buffer;
  readonly isCut: boolean;
}

/**
 * Undoes an answer's content codings (RFC 9110, 8.4), up to `limitBytes` after each. Never rejects: a body that cannot be
 * decoded stays as it came, with `unknownCoding`.
 */
export function decoded<A extends Coded>(answer: A, limitBytes: number): A | Promise<A> {
  const { headers, body } = answer;
  const header = headers['content-encoding'];
  if (header === undefined || body.length === 0) return answer;
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length === 0 ? answer : undo(answer, codings, limitBytes);
}

async function undo<A extends Coded>(answer: A, codings: readonly string[], limitBytes: number): Promise<A> {
  // No server has a reason for more, and each costs time.
  if (codings.length > mostCodings) return { ...answer, unknownCoding: named(codings) };
  let { body, isCut } = answer;
  for (const coding of codings.toReversed()) {
    const decoder = decoderOf(coding, body);
    const read = decoder && (await readAll(decoder, body, limitBytes));
    if (!read) return { ...answer, unknownCoding: named(codings) };
    body = read.body;
    isCut ||= read.isCut;
  }
  return { ...answer, body, isCut };
}

const mostCodings = 2;

/** As it goes into the log, where no server may write at length. */
const named = (codings: readonly string[]): string => {
  const name = codings.join(', ');
  return /^[\w.+, -]{1,40}$/.test(name) ? name : 'a malformed name';
};

/** `undefined` for an unknown coding. Loaded late: hardly any answer is coded. */
function decoderOf(coding: string, [first = 0]: Buffer): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      // Some servers leave out the header of zlib (RFC 9110, 8.4.1.2).
      return (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      return undefined;
  }
}

/** All that `body` becomes, up to the limit; `undefined` if it is not of this coding. */
async function readAll(decoder: Transform, body: Buffer, limitBytes: number) {
  const read = new Bytes();
  let isCut = false;
  decoder.on('data', (piece: Buffer) => {
    read.add(piece);
    if (read.length > limitBytes) decoder.destroy();
  });
  // Ended separately, so that what came of a body without an end is read.
  decoder.write(body);
  decoder.end();
  const { finished } = process.getBuiltinModule('node:stream/promises');
  await finished(decoder).catch(() => {
    isCut = true;
  });
  return isCut && read.length === 0 ? undefined : { body: read.all.subarray(0, limitBytes), isCut };
}
