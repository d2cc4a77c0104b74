import { Bytes } from '@form-relay/base/bytes';
import { bodyLimitBytes, framingLimitBytes, framingOf, headLimitBytes, mostInterim } from './protocol.ts';

export type NoAnswer = 'not_http' | 'headers_too_long' | 'too_many_1xx' | 'unexpected_1xx';

/**
 * Parses the responses to one request after another, byte by byte, in pieces of any size. Accepts what Node's own parser
 * accepts; packages/clients/test/transports/response_parser.property.test.ts lists each difference.
 *
 * A response counts as soon as its final status has arrived: a later error only cuts off its body and closes the connection.
 */
export class ResponseParser {
  /** Whether the response is complete, or no response can come any more. */
  isDone = false;
  noAnswer: NoAnswer | undefined;
  status = 0;
  /** The final status line and headers, one character per byte. */
  head = '';
  /** The body up to the limit, decoded as UTF-8. Empty if the body is in `bytes`. */
  body = '';
  /** The body up to the limit, if it was requested as bytes. */
  bytes: Buffer | undefined;
  /** Whether the body was longer than the limit, or incomplete. */
  isCut = false;
  /** How long the connection may be idle before the next request. 0 if it must not be reused. */
  restMs = 0;
  #state = beforeHead;
  #readBytes = 0;
  #headBytes = 0;
  #interim = 0;
  #mustClose = false;
  #limitBytes = bodyLimitBytes;
  #keepsBytes = false;
  #column = 0;
  /** How many bytes of a body of known length, or of a chunk, are still missing. */
  #leftBytes = 0;
  /** The number of digits of a chunk's size so far, and of those after leading zeros. */
  #digits = 0;
  #significantDigits = 0;
  #major = 0;
  #pieces: Bytes | undefined;

  /**
   * Resets the parser before the next request.
   *
   * @param limitBytes The size limit of a body requested as bytes. Other bodies are text of up to 64 KB.
   */
  begin(limitBytes?: number): void {
    this.isDone = false;
    this.noAnswer = undefined;
    this.status = 0;
    this.head = '';
    this.body = '';
    this.bytes = undefined;
    this.isCut = false;
    this.restMs = 0;
    this.#state = beforeHead;
    this.#readBytes = 0;
    this.#headBytes = 0;
    this.#interim = 0;
    this.#mustClose = false;
    this.#limitBytes = limitBytes ?? bodyLimitBytes;
    this.#keepsBytes = limitBytes !== undefined;
    this.#pieces = undefined;
  }

  /** Parses from `from` up to `to`. Returns the end of the response; later bytes do not belong to it. */
  read(bytes: Buffer, from: number, to: number): number {
    this.#readBytes += to - from;
    let at = from;
    while (at < to && !this.isDone) {
      if (this.#state <= lastLineFeed)
        at = this.status === 0 ? this.#readHead(bytes, at, to) : this.#readTrailers(bytes, at, to);
      else if (this.#state <= chunk) at = this.#readBody(bytes, at, to);
      else at = this.#readChunkFraming(bytes, at, to);
    }
    if (!this.isDone && this.#readBytes > this.#limitBytes + framingLimitBytes)
      this.#stop('headers_too_long');
    return at;
  }

  /** The connection was closed. Returns whether there is a response. */
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
        case reason:
          if (byte === cr) state = lineFeed;
          else if (byte === lf) state = malformed;
          break;
        case lineFeed:
          state = byte === lf ? fieldStart : malformed;
          break;
        case beforeHead:
        case statusLine:
          state = this.#afterStatusByte(byte);
          break;
        default:
          state = afterFieldByte(state, byte);
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

  /** The state after a byte of `HTTP/1.1 200` and the like. */
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
        // There is no status below 100.
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
    // A client must read a folded header as one line (RFC 9112, 5.2).
    if (isFolded.test(this.head)) this.head = this.head.replaceAll(/\r\n[\t ]+/g, ' ');
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
    // Most bodies arrive in one piece.
    if (isLast && !this.#pieces && !this.#keepsBytes && end - from <= this.#limitBytes)
      this.body = bytes.toString('utf8', from, end);
    else this.#keep(bytes, from, end);
    if (this.isDone) return to;
    if (isLast) this.#finish(false);
    else if (this.#leftBytes === 0) this.#state = afterChunk;
    return end;
  }

  /** Copies the bytes, because the buffer is reused. */
  #keep(bytes: Buffer, from: number, to: number): void {
    this.#pieces ??= new Bytes();
    this.#pieces.add(Buffer.from(bytes.subarray(from, to)));
    if (this.#pieces.length > this.#limitBytes) this.#finish(true);
  }

  /** Parses chunk sizes with their extensions, and the line breaks between chunks. */
  #readChunkFraming(bytes: Buffer, from: number, to: number): number {
    let state = this.#state;
    let at = from;
    for (; at < to && state > chunk; at += 1) {
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
          else state = this.#leftBytes === 0 ? fieldStart : chunk;
          break;
        case afterChunk:
          state = byte === cr ? afterChunkLineFeed : malformed;
          break;
        default:
          this.#beginChunk();
          state = byte === lf ? chunkSize : malformed;
          break;
      }
    }
    this.#state = state;
    if (state === malformed) this.#finish(true);
    return at;
  }

  /** Parses trailers, which have the syntax of headers, and ignores them. */
  #readTrailers(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && this.#state <= lastLineFeed) {
      this.#state = afterFieldByte(this.#state, bytes[at] as number);
      at += 1;
    }
    this.#headBytes += at - from;
    if (this.#state === headEnd) this.#finish(false);
    else if (this.#state === malformed || this.#headBytes > headLimitBytes) this.#finish(true);
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
    const read = this.#pieces?.all.subarray(0, this.#limitBytes);
    if (this.#keepsBytes) this.bytes = read;
    else if (read) this.body = read.toString('utf8');
    this.#pieces = undefined;
  }
}

/** States, each named by what comes next. */
const beforeHead = 0;
const statusLine = 1;
const reason = 2;
const lineFeed = 3;
const fieldStart = 4;
const fieldName = 5;
const fieldValue = 6;
const fieldLineFeed = 7;
const nextField = 8;
/** States up to this one parse a head or trailers. */
const lastLineFeed = 9;
const headEnd = 10;
const malformed = 11;
const fixedLength = 12;
const untilEnd = 13;
/** States up to this one, and those above `malformed`, parse a body. */
const chunk = 14;
const chunkSize = 15;
const chunkExtension = 16;
const chunkSizeLineFeed = 17;
const afterChunk = 18;
const afterChunkLineFeed = 19;

const template = 'HTTP/_._ ';

/** The state after a byte of a header, or of a trailer. */
function afterFieldByte(state: number, byte: number): number {
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

/** A header that continues on the next line. */
const isFolded = /\r\n[\t ]/;

/** The versions that Node accepts, as two digits. */
const versions = new Set(
  ['09', '10', '11', '20'].map((digits) => digits.charCodeAt(0) * 256 + digits.charCodeAt(1)),
);

const lf = 0x0a;
const cr = 0x0d;
const tab = 0x09;
const space = 0x20;
const zero = 0x30;
const colon = 0x3a;
const semicolon = 0x3b;

const isDigit = (byte: number) => byte >= zero && byte <= 0x39;

const isBlank = (byte: number) => byte === space || byte === tab;

const isLineBreak = (byte: number | undefined) => byte === lf || byte === cr;

const bytesThat = (matches: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(matches.test(String.fromCharCode(byte))));

/** Token characters (RFC 9110, 5.6.2). */
const inToken = bytesThat(/[!#$%&'*+\-.^_`|~\w]/);
/** Characters of field values (RFC 9110, 5.5). */
const inValue = bytesThat(/[\t\x20-\x7e\x80-\xff]/);
/** The values of hexadecimal digits; 16 for any other byte. */
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});
