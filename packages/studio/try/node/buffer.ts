/** Stands in for `node:buffer` in a browser: what the relay and nodemailer's encoders use of it. */

type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'binary' | 'ascii' | 'base64' | 'base64url' | 'hex';
type Source = string | ArrayBufferLike | ArrayLike<number>;

const utf8 = new TextEncoder();

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sixBits = new Map(
  [...alphabet, '-', '_'].map((letter, index) => [letter.charCodeAt(0), index > 63 ? index - 2 : index]),
);

/** As Node reads base64: either alphabet, up to the first `=`, whatever else stands between. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let held = 0;
  let bits = 0;
  for (let index = 0; index < text.length && text[index] !== '='; index += 1) {
    const six = sixBits.get(text.charCodeAt(index));
    if (six === undefined) continue;
    held = ((held << 6) | six) & 0xfff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length] = held >> bits;
      length += 1;
    }
  }
  return bytes.subarray(0, length);
}

function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Up to the first pair that is none. */
const fromHex = (text: string) =>
  Uint8Array.from(/^(?:[\da-f]{2})*/i.exec(text)?.[0].match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  );

function bytesOf(text: string, encoding: string): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'base64':
    case 'base64url':
      return fromBase64(text);
    case 'hex':
      return fromHex(text);
    case 'latin1':
    case 'binary':
    case 'ascii':
      return fromLatin1(text);
    default:
      return utf8.encode(text);
  }
}

/** In pieces that fit on the stack. */
function toLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...Uint8Array.prototype.subarray.call(bytes, at, at + 8_192));
  }
  return text;
}

export class Buffer extends Uint8Array<ArrayBuffer> {
  /** As a `Uint8Array` is made, also when a part of one is. */
  constructor(source: number | ArrayLike<number> | ArrayBuffer, start?: number, length?: number) {
    super(source as ArrayBuffer, start, length);
  }

  static override from(source: Source | Iterable<number>, encoding?: unknown, length?: unknown): Buffer {
    if (typeof source === 'string') return Buffer.#around(bytesOf(source, String(encoding ?? 'utf8')));
    if (source instanceof ArrayBuffer) {
      return new Buffer(source, encoding as number | undefined, length as number | undefined);
    }
    return new Buffer(source as ArrayLike<number>);
  }

  static override of(...bytes: number[]): Buffer {
    return new Buffer(bytes);
  }

  static #around({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
    return new Buffer(buffer, byteOffset, byteLength);
  }

  static alloc(size: number, fill: number | string = 0): Buffer {
    return new Buffer(size).fill(typeof fill === 'string' ? fill.charCodeAt(0) : fill);
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(size);
  }

  static allocUnsafeSlow(size: number): Buffer {
    return new Buffer(size);
  }

  static byteLength(value: string | ArrayBufferView, encoding: Encoding = 'utf8'): number {
    return typeof value === 'string' ? bytesOf(value, encoding).length : value.byteLength;
  }

  static concat(pieces: readonly Uint8Array[], total?: number): Buffer {
    const whole = new Buffer(total ?? pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      const rest = piece.subarray(0, whole.length - at);
      whole.set(rest, at);
      at += rest.length;
    }
    return whole;
  }

  static compare(one: Uint8Array, other: Uint8Array): -1 | 0 | 1 {
    const length = Math.min(one.length, other.length);
    for (let index = 0; index < length; index += 1) {
      const difference = (one[index] ?? 0) - (other[index] ?? 0);
      if (difference !== 0) return difference < 0 ? -1 : 1;
    }
    return Math.sign(one.length - other.length) as -1 | 0 | 1;
  }

  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    switch (encoding) {
      case 'base64':
        return btoa(toLatin1(bytes));
      case 'base64url':
        return btoa(toLatin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
      case 'hex':
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      case 'latin1':
      case 'binary':
        return toLatin1(bytes);
      case 'ascii':
        return toLatin1(bytes.map((byte) => byte & 127));
      default:
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    }
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  copy(target: Uint8Array, at = 0, start = 0, end = this.length): number {
    const piece = this.subarray(start, Math.min(end, start + target.length - at));
    target.set(piece, at);
    return piece.length;
  }

  write(text: string, at = 0, ...rest: unknown[]): number {
    const encoding = rest.find((one) => typeof one === 'string') ?? 'utf8';
    return Buffer.#around(bytesOf(text, String(encoding))).copy(this, at);
  }

  /** A slice of a buffer is a window into it. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end) as Buffer;
  }

  override indexOf(wanted: number | string | Uint8Array, from = 0, encoding: Encoding = 'utf8'): number {
    if (typeof wanted === 'number') return super.indexOf(wanted, from);
    const bytes = typeof wanted === 'string' ? bytesOf(wanted, encoding) : wanted;
    for (let at = Math.max(from, 0); at <= this.length - bytes.length; at += 1) {
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    }
    return -1;
  }

  override lastIndexOf(wanted: number | string, from = this.length, encoding: Encoding = 'utf8'): number {
    if (typeof wanted === 'number') return super.lastIndexOf(wanted, from);
    const bytes = bytesOf(wanted, encoding);
    for (let at = Math.min(from, this.length - bytes.length); at >= 0; at -= 1) {
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    }
    return -1;
  }

  override includes(wanted: number | string, from = 0, encoding: Encoding = 'utf8'): boolean {
    return this.indexOf(wanted, from, encoding) >= 0;
  }

  get #view() {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }

  readUInt16BE = (at = 0) => this.#view.getUint16(at);
  readUInt16LE = (at = 0) => this.#view.getUint16(at, true);
  readUInt32BE = (at = 0) => this.#view.getUint32(at);
  readUInt32LE = (at = 0) => this.#view.getUint32(at, true);
  readInt32LE = (at = 0) => this.#view.getInt32(at, true);
  writeUInt16BE = (value: number, at = 0) => this.#view.setUint16(at, value);
  writeUInt32BE = (value: number, at = 0) => this.#view.setUint32(at, value);

  swap16(): this {
    for (let at = 0; at + 1 < this.length; at += 2) this.writeUInt16BE(this.readUInt16LE(at), at);
    return this;
  }
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
