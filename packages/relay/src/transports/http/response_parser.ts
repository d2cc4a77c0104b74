import { Bytes } from '../../base/bytes.ts';
import { bodyLimitBytes, framingLimitBytes, headLimitBytes, mostInterim } from './protocol.ts';

export type NoAnswer = 'not_http' | 'headers_too_long' | 'too_many_1xx' | 'unexpected_1xx';

/**
 * Reads the answer to one request after the other, byte by byte, in pieces of any size. It accepts what Node's own
 * parser accepts; test/transports/response_parser.property.test.ts lists each difference (D161).
 *
 * From its final status on, an answer counts (D42): a later error cuts its body and ends the connection.
 */
export class ResponseParser {
  /** Whether the answer is complete, or none can come. */
  isDone = false;
  noAnswer: NoAnswer | undefined;
  status = 0;
  /** The final answer's status line and headers, one character a byte. */
  head = '';
  /** The body's first 64 KB, as UTF-8. */
  body = '';
  /** Whether the body was longer, or did not come to its end. */
  isCut = false;
  /** The time that the connection may be idle before the next request. 0: it must not be used again. */
  restMs = 0;
  #state = beforeHead;
  #readBytes = 0;
  #headBytes = 0;
  #interim = 0;
  #mustClose = false;
  #column = 0;
  /** The missing bytes of a body of known length, or of a chunk. */
  #leftBytes = 0;
  /** The digits of a chunk's size so far, and those after leading zeros. */
  #digits = 0;
  #significantDigits = 0;
  #major = 0;
  #pieces: Bytes | undefined;

  /** Resets it before the next request. */
  begin(): void {
    this.isDone = false;
    this.noAnswer = undefined;
    this.status = 0;
    this.head = '';
    this.body = '';
    this.isCut = false;
    this.restMs = 0;
    this.#state = beforeHead;
    this.#readBytes = 0;
    this.#headBytes = 0;
    this.#interim = 0;
    this.#mustClose = false;
    this.#pieces = undefined;
  }

  /** Reads from `from` up to `to`. Returns the end of the answer: later bytes belong to none. */
  read(bytes: Buffer, from: number, to: number): number {
    this.#readBytes += to - from;
    let at = from;
    while (at < to && !this.isDone) {
      if (this.#state <= lastOfHead) at = this.#readHead(bytes, at, to);
      else if (this.#state <= lastWithBody) at = this.#readBody(bytes, at, to);
      else at = this.#readChunkFraming(bytes, at, to);
    }
    if (!this.isDone && this.#readBytes > bodyLimitBytes + framingLimitBytes) this.#stop('headers_too_long');
    return at;
  }

  /** The connection ended. Returns whether there is an answer. */
  end(isOrderly: boolean): boolean {
    if (this.status === 0) return false;
    this.#finish(!(isOrderly && this.#state === untilEnd));
    return true;
  }

  #readHead(bytes: Buffer, from: number, to: number): number {
    let state = this.#state;
    let at = from;
    if (state === beforeHead) {
      while (at < to && isLineBreak(bytes[at])) at += 1;
      if (at < to) state = statusLine;
      this.#column = 0;
    }
    const begin = at;
    for (; at < to && state !== headEnd && state !== malformed; at += 1) {
      const byte = bytes[at] as number;
      switch (state) {
        case fieldValue:
          if (byte === cr) state = lineFeed;
          else if (!inValue[byte]) state = malformed;
          break;
        case fieldName:
          if (byte === colon) state = fieldValue;
          else if (!inToken[byte]) state = malformed;
          break;
        case fieldStart:
          if (byte === cr) state = lastLineFeed;
          else state = inToken[byte] ? fieldName : malformed;
          break;
        case reason:
          if (byte === cr) state = lineFeed;
          else if (byte === lf) state = malformed;
          break;
        case lineFeed:
          state = byte === lf ? fieldStart : malformed;
          break;
        case lastLineFeed:
          state = byte === lf ? headEnd : malformed;
          break;
        default:
          state = this.#afterStatusByte(byte);
      }
    }
    this.#headBytes += at - from;
    this.#state = state;
    if (state === malformed) this.#stop('not_http');
    else if (this.#headBytes > headLimitBytes) this.#stop('headers_too_long');
    else {
      const text = bytes.toString('latin1', begin, at);
      this.head = this.head === '' ? text : this.head + text;
      if (state === headEnd) this.#understand();
    }
    return at;
  }

  /** The state after a byte of `HTTP/1.1 200`. */
  #afterStatusByte(byte: number): number {
    const column = this.#column;
    this.#column += 1;
    switch (column) {
      case 5:
        this.#major = byte;
        return isDigit(byte) ? statusLine : malformed;
      case 7:
        return versions.has(this.#major * 256 + byte) ? statusLine : malformed;
      case 9:
        // No status is below 100.
        return isDigit(byte) && byte !== zero ? statusLine : malformed;
      case 10:
      case 11:
        return isDigit(byte) ? statusLine : malformed;
      case 12:
        if (byte === cr) return lineFeed;
        return byte === space ? reason : malformed;
      default:
        return byte === template.charCodeAt(column) ? statusLine : malformed;
    }
  }

  #understand(): void {
    const { head } = this;
    const status = Number(head.slice(9, 12));
    const framing = framingOf(head);
    if (!framing) return void this.#stop('not_http');
    if (status < 200) return void this.#afterInterim(status, framing.restMs);
    this.status = status;
    this.restMs = this.#mustClose ? 0 : framing.restMs;
    const { lengthBytes } = framing;
    if (status === 204 || status === 304 || lengthBytes === 0) return void this.#finish(false);
    if (lengthBytes === 'chunked') {
      this.#beginChunk();
      this.#state = chunkSize;
    } else if (lengthBytes === 'until_end') {
      this.restMs = 0;
      this.#leftBytes = Infinity;
      this.#state = untilEnd;
    } else {
      this.#leftBytes = lengthBytes;
      this.#state = fixedLength;
    }
  }

  #afterInterim(status: number, restMs: number): void {
    this.#interim += 1;
    if (status === 101) return void this.#stop('unexpected_1xx');
    if (this.#interim > mostInterim) return void this.#stop('too_many_1xx');
    this.#mustClose ||= restMs === 0;
    this.head = '';
    this.#headBytes = 0;
    this.#state = beforeHead;
  }

  #readBody(bytes: Buffer, from: number, to: number): number {
    const end = to - from < this.#leftBytes ? to : from + this.#leftBytes;
    this.#leftBytes -= end - from;
    const isLast = this.#leftBytes === 0 && this.#state === fixedLength;
    // Most bodies come in one piece.
    if (isLast && !this.#pieces && end - from <= bodyLimitBytes)
      this.body = bytes.toString('utf8', from, end);
    else this.#keep(bytes, from, end);
    if (this.isDone) return to;
    if (isLast) this.#finish(false);
    else if (this.#leftBytes === 0) this.#state = afterChunk;
    return end;
  }

  /** Copies, because the buffer is reused. */
  #keep(bytes: Buffer, from: number, to: number): void {
    this.#pieces ??= new Bytes();
    this.#pieces.add(Buffer.from(bytes.subarray(from, to)));
    if (this.#pieces.length > bodyLimitBytes) this.#finish(true);
  }

  /** Reads chunk sizes with their extensions, the line breaks between, and trailers, which are ignored. */
  #readChunkFraming(bytes: Buffer, from: number, to: number): number {
    let state = this.#state;
    let at = from;
    for (; at < to && state > lastWithBody; at += 1) {
      const byte = bytes[at] as number;
      switch (state) {
        case chunkSize: {
          const digit = hexDigits[byte] as number;
          if (digit < 16) state = this.#addSizeDigit(digit) ? chunkSize : malformed;
          else if (this.#digits === 0) state = malformed;
          else if (byte === cr) state = chunkSizeLineFeed;
          else state = byte === semicolon ? chunkExtension : malformed;
          break;
        }
        case chunkExtension:
          if (byte === cr) state = chunkSizeLineFeed;
          else if (!inValue[byte]) state = malformed;
          break;
        case chunkSizeLineFeed:
          if (byte !== lf) state = malformed;
          else state = this.#leftBytes === 0 ? trailerStart : chunk;
          break;
        case afterChunk:
          state = byte === cr ? afterChunkLineFeed : malformed;
          break;
        case afterChunkLineFeed:
          this.#beginChunk();
          state = byte === lf ? chunkSize : malformed;
          break;
        case trailerStart:
          this.#headBytes += 1;
          if (byte === cr) state = trailerEnd;
          else state = inToken[byte] ? trailerName : malformed;
          break;
        case trailerName:
          this.#headBytes += 1;
          if (byte === colon) state = trailerValue;
          else if (!inToken[byte]) state = malformed;
          break;
        case trailerValue:
          this.#headBytes += 1;
          if (byte === cr) state = trailerLineFeed;
          else if (!inValue[byte]) state = malformed;
          break;
        case trailerLineFeed:
          state = byte === lf ? trailerStart : malformed;
          break;
        default:
          state = byte === lf ? bodyEnd : malformed;
      }
    }
    this.#state = state;
    if (state === bodyEnd) this.#finish(false);
    else if (state === malformed || this.#headBytes > headLimitBytes) this.#finish(true);
    return at;
  }

  #beginChunk(): void {
    this.#digits = 0;
    this.#significantDigits = 0;
    this.#leftBytes = 0;
  }

  #addSizeDigit(digit: number): boolean {
    this.#digits += 1;
    if (digit > 0 || this.#significantDigits > 0) this.#significantDigits += 1;
    this.#leftBytes = this.#leftBytes * 16 + digit;
    return this.#significantDigits <= 16;
  }

  #stop(noAnswer: NoAnswer): void {
    if (this.status > 0) return void this.#finish(true);
    this.isDone = true;
    this.restMs = 0;
    this.noAnswer = noAnswer;
  }

  #finish(isCut: boolean): void {
    this.isDone = true;
    this.isCut = isCut;
    if (isCut) this.restMs = 0;
    if (this.#pieces) this.body = this.#pieces.all.toString('utf8', 0, bodyLimitBytes);
    this.#pieces = undefined;
  }
}

/** States, named by what comes next. */
const beforeHead = 0;
const statusLine = 1;
const reason = 2;
const lineFeed = 3;
const fieldStart = 4;
const fieldName = 5;
const fieldValue = 6;
const lastLineFeed = 7;
const lastOfHead = lastLineFeed;
const headEnd = 8;
const bodyEnd = 9;
const malformed = 10;
const fixedLength = 11;
const untilEnd = 12;
const chunk = 13;
const lastWithBody = chunk;
const chunkSize = 14;
const chunkExtension = 15;
const chunkSizeLineFeed = 16;
const afterChunk = 17;
const afterChunkLineFeed = 18;
const trailerStart = 19;
const trailerName = 20;
const trailerValue = 21;
const trailerLineFeed = 22;
const trailerEnd = 23;

const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;
const zero = 0x30;
const colon = 0x3a;
const semicolon = 0x3b;

const template = 'HTTP/_._ ';

const isDigit = (byte: number) => byte >= zero && byte <= 0x39;

export const isLineBreak = (byte: number | undefined) => byte === lf || byte === cr;

/** The versions that Node accepts, by their two digits. */
const versions = new Set(
  ['09', '10', '11', '20'].map((digits) => digits.charCodeAt(0) * 256 + digits.charCodeAt(1)),
);

const bytesThat = (matches: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(matches.test(String.fromCharCode(byte))));

/** RFC 9110, 5.6.2. */
const inToken = bytesThat(/[!#$%&'*+\-.^_`|~\w]/);
/** RFC 9110, 5.5. */
const inValue = bytesThat(/[\t\x20-\x7e\x80-\xff]/);
/** Values of hexadecimal digits; 16 for every other byte. */
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

/** The length of a body and the reuse of its connection, by the head (RFC 9112, 6.3 and 9.3). */
export interface Framing {
  readonly lengthBytes: number | 'chunked' | 'until_end';
  /** The time that the connection may be idle before the next request. 0: it must not be used again. */
  readonly restMs: number;
}

/** Most servers close idle connections after 5 s or more. */
export const usualRestMs = 4_000;
/** How much sooner the relay closes a connection than its server announces. */
const marginMs = 2_000;
const mostRestMs = 600_000;

/**
 * Reads a head of valid form. Returns `undefined` if it contradicts itself, as in response smuggling: two lengths, even
 * equal ones, or a length beside a transfer coding.
 */
export function framingOf(head: string): Framing | undefined {
  let length: number | undefined;
  let isCoded = false;
  let isChunked = false;
  let keeps = head.startsWith('1.1', 5);
  let closes = false;
  let restMs = usualRestMs;
  for (let start = head.indexOf('\n') + 1; start < head.length - 2; ) {
    const end = head.indexOf('\r', start);
    const name = framingName(head, start);
    if (name !== undefined) {
      const value = head.slice(start + name.length + 1, end);
      if (name === 'content-length') {
        if (length !== undefined) return undefined;
        length = lengthIn(value);
        if (length === undefined) return undefined;
      } else if (name === 'transfer-encoding') {
        // The last coding counts, in the last header that names one.
        if (/[^\t ]/.test(value)) {
          isCoded = true;
          isChunked = /(?:^|,)[\t ]*chunked[\t ]*$/i.test(value);
        }
      } else if (name === 'connection') {
        if (/close/i.test(value)) closes = true;
        else if (/(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i.test(value)) keeps = true;
      } else {
        const seconds = /timeout=(\d{1,9})/i.exec(value)?.[1];
        if (seconds !== undefined) restMs = Math.min(Number(seconds) * 1_000 - marginMs, mostRestMs);
      }
    }
    start = end + 2;
  }
  if (isCoded && length !== undefined) return undefined;
  const lengthBytes = isChunked ? 'chunked' : isCoded ? 'until_end' : (length ?? 'until_end');
  return { lengthBytes, restMs: keeps && !closes ? Math.max(0, restMs) : 0 };
}

/** The name of a header that frames, in lower case. First letter and length exclude most others. */
function framingName(head: string, start: number): string | undefined {
  const first = head.charCodeAt(start) | 0x20;
  if (first !== 0x63 && first !== 0x6b && first !== 0x74) return undefined;
  const colon = head.indexOf(':', start);
  const length = colon - start;
  if (length !== 10 && length !== 14 && length !== 17) return undefined;
  const name = head.slice(start, colon).toLowerCase();
  return framingNames.has(name) ? name : undefined;
}

const framingNames = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

const mostLength = 2n ** 64n - 1n;

/** `undefined` unless it is a number of 64 bits. */
function lengthIn(value: string): number | undefined {
  const digits = /^[\t ]*(\d+)[\t ]*$/.exec(value)?.[1];
  if (digits === undefined) return undefined;
  return digits.length < 16 || BigInt(digits) <= mostLength ? Number(digits) : undefined;
}
