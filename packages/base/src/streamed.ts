/**
 * Data too large for memory: generated in pieces while it is sent, and generated again, identically, for every retry.
 *
 * The next piece may overwrite the previous one: send or copy a piece before requesting the next.
 */
export interface Streamed {
  readonly byteLength: number;
  pieces(): Iterable<Uint8Array>;
}

/** Concatenates text and streams. Adjacent texts become one piece of UTF-8. */
export function joined(parts: readonly (string | Streamed)[]): Streamed {
  const streams: Streamed[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      streams.push(streamedText(text), part);
      text = '';
    }
  }
  streams.push(streamedText(text));
  return {
    byteLength: streams.reduce((sum, { byteLength }) => sum + byteLength, 0),
    *pieces() {
      for (const stream of streams) yield* stream.pieces();
    },
  };
}

function streamedText(text: string): Streamed {
  const bytes = Buffer.from(text);
  return { byteLength: bytes.length, pieces: () => (text === '' ? [] : [bytes]) };
}

export const wholeOf = ({ pieces }: Streamed): Buffer =>
  Buffer.concat(Array.from(pieces(), (piece) => Buffer.from(piece)));

/** The piece size: a multiple of 3, for base64, that fits into a processor's caches. */
const bytesOfPiece = 3 * 16_384;

/** Bytes as base64, on one line. */
export function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): Streamed {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return {
    byteLength: base64Length(byteLength),
    *pieces() {
      const memory = Buffer.allocUnsafeSlow(base64Length(Math.min(byteLength, bytesOfPiece)));
      for (let start = 0; start < byteLength; start += bytesOfPiece) {
        yield inBase64(bytes, start, start + bytesOfPiece, memory);
      }
    },
  };
}

export const base64OfStreamed = (streamed: Streamed): Streamed => ({
  byteLength: base64Length(streamed.byteLength),
  *pieces() {
    let left = Buffer.alloc(0);
    for (const piece of streamed.pieces()) {
      const bytes = Buffer.concat([left, piece]);
      const whole = bytes.length - (bytes.length % 3);
      if (whole > 0) yield inBase64(bytes, 0, whole);
      left = bytes.subarray(whole);
    }
    if (left.length > 0) yield inBase64(left);
  },
});

/** A separate function, because the generators would keep the text alive until they resume. */
function inBase64(bytes: Buffer, start?: number, end?: number, memory?: Buffer): Buffer {
  const text = bytes.toString('base64', start, end);
  return memory ? memory.subarray(0, memory.write(text, 'latin1')) : Buffer.from(text, 'latin1');
}

export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Serializes JSON with embedded streams as strings; a stream must be ASCII without `"` and `\\`. */
export const jsonOf = (value: unknown): Streamed => joined(jsonParts(value));

function jsonParts(value: unknown): readonly (string | Streamed)[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  if (isStreamed(value)) return ['"', value, '"'];
  if (Array.isArray(value)) return ['[', ...separated(value.map(jsonParts)), ']'];
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return [
    '{',
    ...separated(entries.map(([key, one]) => [`${JSON.stringify(key)}:`, ...jsonParts(one)])),
    '}',
  ];
}

const isStreamed = (value: object): value is Streamed =>
  'pieces' in value && typeof value.pieces === 'function';

const separated = (all: readonly (readonly (string | Streamed)[])[]) =>
  all.flatMap((parts, index) => (index > 0 ? [',', ...parts] : parts));
