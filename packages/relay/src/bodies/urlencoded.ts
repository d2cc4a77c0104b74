import { isUtf8 } from 'node:buffer';
import { maxBodyBytes } from '../base/http.ts';
import type { Values } from '../base/values.ts';

/**
 * Parses `application/x-www-form-urlencoded` bytes as browsers send them (WHATWG URL, 5.1), but strictly: `undefined`
 * when a `%` is not followed by two hex digits or when the bytes are not UTF-8 (D3). `;` is an ordinary character.
 */
export function parseUrlencoded(bytes: Uint8Array): Values | undefined {
  const { length } = bytes;
  // Decoded text is never longer than the encoded text.
  const decoded = bufferOf(length);
  /** Where each name, and the value after it, ends in what is decoded. */
  const ends: number[] = [];
  let at = 0;
  let allBits = 0;
  let isName = true;
  for (let i = 0; i <= length; i += 1) {
    const byte = i < length ? (bytes[i] as number) : ampersand;
    if (byte === ampersand) {
      // Nothing between two of them is no pair.
      if (isName && (i === 0 || bytes[i - 1] === ampersand)) continue;
      if (isName) ends.push(at);
      ends.push(at);
      isName = true;
    } else if (byte === equals && isName) {
      ends.push(at);
      isName = false;
    } else {
      let plain = byte === plus ? space : byte;
      if (byte === percent) {
        if (i + 2 >= length) return undefined;
        plain =
          ((digitValues[bytes[i + 1] as number] as number) << 4) |
          (digitValues[bytes[i + 2] as number] as number);
        if (plain > 0xff) return undefined;
        i += 2;
      }
      allBits |= plain;
      decoded[at] = plain;
      at += 1;
    }
  }
  return allBits < 0x80
    ? valuesInAscii(decoded.toString('latin1', 0, at), ends)
    : valuesIn(decoded, ends, at);
}

/** The same for a query string, with or without bytes beyond ASCII. */
export const parseQuery = (query: string): Values | undefined => parseUrlencoded(Buffer.from(query));

function valuesInAscii(text: string, ends: readonly number[]): Values {
  const values = new Map<string, string[]>();
  let start = 0;
  for (let i = 0; i < ends.length; i += 2) {
    const [middle, end] = [ends[i] as number, ends[i + 1] as number];
    add(values, text.slice(start, middle), text.slice(middle, end));
    start = end;
  }
  return values;
}

/** `undefined` when a name or a value is not UTF-8. */
function valuesIn(bytes: Buffer, ends: readonly number[], length: number): Values | undefined {
  // Each has to be UTF-8 by itself: no character goes on in the next.
  const isSplit = ends.some((end) => end < length && ((bytes[end] as number) & 0xc0) === 0x80);
  if (isSplit || !isUtf8(bytes.subarray(0, length))) return undefined;
  const values = new Map<string, string[]>();
  let start = 0;
  for (let i = 0; i < ends.length; i += 2) {
    const [middle, end] = [ends[i] as number, ends[i + 1] as number];
    add(values, bytes.toString('utf8', start, middle), bytes.toString('utf8', middle, end));
    start = end;
  }
  return values;
}

function add(values: Map<string, string[]>, name: string, value: string): void {
  const others = values.get(name);
  if (others) others.push(value);
  else values.set(name, [value]);
}

/** Writes names, each with its values, as browsers send them: what `URLSearchParams` makes of them. */
export function writeUrlencoded(
  named: readonly (readonly [name: string, values: readonly string[]])[],
): string {
  const encoded = bufferOf(mostEncodedBytes(named));
  let at = 0;
  for (const [name, values] of named) {
    for (const value of values) {
      if (at > 0) {
        encoded[at] = ampersand;
        at += 1;
      }
      at = encode(name, encoded, at);
      encoded[at] = equals;
      at = encode(value, encoded, at + 1);
    }
  }
  return encoded.toString('latin1', 0, at);
}

/** A UTF-16 unit is at most 3 bytes of UTF-8, each of which takes 3 characters. */
function mostEncodedBytes(named: readonly (readonly [name: string, values: readonly string[]])[]): number {
  let units = 0;
  let separators = 0;
  for (const [name, values] of named) {
    for (const value of values) {
      units += name.length + value.length;
      separators += 2;
    }
  }
  return units * 9 + separators;
}

function encode(text: string, encoded: Buffer, from: number): number {
  let at = from;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80 && isPlain[unit] === 1) {
      encoded[at] = unit;
      at += 1;
    } else if (unit === space) {
      encoded[at] = plus;
      at += 1;
    } else if (unit < 0x80) at = escapeByte(unit, encoded, at);
    else {
      const point = text.codePointAt(i) as number;
      if (point > 0xffff) i += 1;
      // Half a surrogate pair is not a character (WHATWG Infra, scalar value string).
      at = escapePoint(point >= 0xd800 && point <= 0xdfff ? 0xfffd : point, encoded, at);
    }
  }
  return at;
}

function escapePoint(point: number, encoded: Buffer, from: number): number {
  let at = from;
  if (point < 0x800) at = escapeByte(0xc0 | (point >> 6), encoded, at);
  else {
    if (point < 0x10000) at = escapeByte(0xe0 | (point >> 12), encoded, at);
    else {
      at = escapeByte(0xf0 | (point >> 18), encoded, at);
      at = escapeByte(0x80 | ((point >> 12) & 0x3f), encoded, at);
    }
    at = escapeByte(0x80 | ((point >> 6) & 0x3f), encoded, at);
  }
  return escapeByte(0x80 | (point & 0x3f), encoded, at);
}

function escapeByte(byte: number, encoded: Buffer, at: number): number {
  encoded[at] = percent;
  encoded[at + 1] = hexDigits[byte >> 4] as number;
  encoded[at + 2] = hexDigits[byte & 0xf] as number;
  return at + 3;
}

/** Valid until the next call. Text that does not fit into the shared buffer gets its own. */
function bufferOf(bytes: number): Buffer {
  if (bytes > maxBodyBytes) return Buffer.allocUnsafeSlow(bytes);
  shared ??= Buffer.allocUnsafeSlow(maxBodyBytes);
  return shared;
}

let shared: Buffer | undefined;

const ampersand = 0x26;
const equals = 0x3d;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

const hexDigits = Buffer.from('0123456789ABCDEF');

/** By byte: what a hex digit is worth; of any other byte, more than two of them can be. */
const digitValues = new Uint16Array(256).fill(0x100);
for (const digits of ['0123456789ABCDEF', '0123456789abcdef']) {
  for (let value = 0; value < 16; value += 1) digitValues[digits.charCodeAt(value)] = value;
}

/** By byte: whether it stands for itself (WHATWG URL, application/x-www-form-urlencoded percent-encode set). */
const isPlain = new Uint8Array(128);
for (const plain of Buffer.from('*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')) {
  isPlain[plain] = 1;
}
