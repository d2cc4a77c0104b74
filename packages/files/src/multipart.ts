import { isUtf8 } from 'node:buffer';
import { err, ok } from '@form-relay/base/result';
import { addTo } from '@form-relay/base/urlencoded';
import { maxBodyBytes } from '@form-relay/core/http/request';
import type { Files, Message, Result, SentFile, Values } from '@form-relay/core/index';
import {
  MultipartParseError,
  type MultipartPart,
  parseMultipart as partsOf,
} from '@remix-run/multipart-parser';

interface Parsed {
  readonly values: Values;
  readonly files: Files<SentFile>;
}

/** Enough for two fields of a hundred files each, and as many texts. */
const mostParts = 400;

/** The limit for all headers of a part, which contain the names of the field and of its file. */
const mostHeaderBytes = 8_192;

const malformed = err({ code: 'multipart_malformed' } as const);
const notUtf8 = err({ code: 'body_not_utf8' } as const);
const textTooLong = err({ code: 'text_too_long' } as const);

/**
 * Parses `multipart/form-data` as browsers and HTTP libraries send it (RFC 7578). Ambiguous bodies are
 * malformed, and text must be UTF-8. Files are views of the body, not copies.
 */
export function parseMultipart(bytes: Uint8Array, contentType: string): Result<Parsed, Message> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return malformed;
  const framed = frame(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), boundary);
  if (!framed.ok) return framed;
  const { body, count } = framed.value;
  const limits = {
    maxHeaderSize: mostHeaderBytes,
    maxParts: count,
    maxFileSize: body.length,
    maxTotalSize: body.length,
  };
  const values = new Map<string, string[]>();
  const files = new Map<string, SentFile[]>();
  let parts = 0;
  let fileBytes = 0;
  let textBytes = 0;
  try {
    for (const part of partsOf(body, { boundary, ...limits })) {
      parts += 1;
      const headers = headersOf(part);
      if (!headers) return notUtf8;
      const about = readDisposition(headers['content-disposition'] ?? '');
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      const isEncoded = !/^(?:7bit|8bit|binary)?$/i.test(headers['content-transfer-encoding'] ?? '');
      if (!about || isEncoded) return malformed;
      const [content = new Uint8Array()] = part.content;
      if (about.filename !== undefined) {
        // Browsers send an empty file for each field without a chosen file.
        if (about.filename === '' && content.length === 0) continue;
        fileBytes += content.length;
        addTo(files, about.name, { name: about.filename, type, bytes: content });
      } else {
        // Several files in one part (RFC 2388), which clients no longer send.
        if (type.startsWith('multipart/')) return malformed;
        textBytes += content.length;
        if (textBytes > maxBodyBytes) return textTooLong;
        if (!isUtf8(content)) return notUtf8;
        addTo(values, about.name, Buffer.from(content).toString());
      }
    }
  } catch (error) {
    if (error instanceof MultipartParseError) return malformed;
    throw error;
  }
  if (parts !== count) return malformed;
  return bytes.length - fileBytes > maxBodyBytes ? textTooLong : ok({ values, files });
}

/** `undefined` if the headers are not UTF-8. */
function headersOf(part: MultipartPart): MultipartPart['headers'] | undefined {
  try {
    return part.headers;
  } catch {
    return undefined;
  }
}

/** RFC 2046, 5.1.1. If there are two boundaries, other parsers may use the other one. */
function boundaryOf(contentType: string): string | undefined {
  if (contentType.match(/;\s*boundary=/gi)?.length !== 1) return undefined;
  const [, quoted, plain] =
    /;\s*boundary=(?:"([\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?])"|([\w'()+,\-./:=?]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  return quoted ?? plain;
}

/**
 * The body from its first delimiter on, and its number of parts, which the library must also find: it takes any two
 * bytes after a delimiter for a line break, and may find the end of a part's headers in the next part.
 */
function frame(bytes: Buffer, boundary: string): Result<{ body: Buffer; count: number }, Message> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const isFirst = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  // The preamble before the first delimiter is not a part (RFC 2046, 5.1.1).
  const before = isFirst ? -2 : bytes.indexOf(delimiter);
  if (before === -1 || looksLikePart(bytes.subarray(0, Math.max(0, before)))) return malformed;
  let at = before + delimiter.length;
  for (let count = 0; count <= mostParts; count += 1) {
    const after = bytes.toString('latin1', at, at + 2);
    if (after === '--') {
      // The text after the last delimiter is not a part either.
      return looksLikePart(bytes.subarray(at + 2))
        ? malformed
        : ok({ body: bytes.subarray(before + 2), count });
    }
    if (after !== '\r\n' || !hasPlainHeaders(bytes.subarray(at + 2))) return malformed;
    const next = bytes.indexOf(delimiter, at);
    if (next < 0) return malformed;
    at = next + delimiter.length;
  }
  return err({ code: 'too_many_parts', params: { max: mostParts } });
}

/** Whether ignored text may hide a part, for example with another boundary or other line breaks. */
const looksLikePart = (ignored: Buffer): boolean =>
  ignored.length > 0 && /^-|[\r\n]-|content-disposition/i.test(ignored.toString('latin1'));

/**
 * The library skips lines that are not headers, such as continuations, and text after characters that only
 * JavaScript treats as line breaks (`.` stops there). If a file name were lost, a file would turn into text.
 */
function hasPlainHeaders(part: Buffer): boolean {
  const end = part.subarray(0, mostHeaderBytes + 4).indexOf('\r\n\r\n');
  if (end < 0) return false;
  const lines = part.toString('utf8', 0, end).split('\r\n');
  return lines.every((line) => /^[^\s:]+:.*$/.test(line));
}

export interface Disposition {
  readonly name: string;
  /** A file's name; empty if none was chosen. */
  readonly filename?: string;
}

/**
 * Reads `form-data; name="cv"; filename="cv.pdf"`. Browsers write quotes and line breaks as `%22`, `%0D` and `%0A`, and
 * a backslash unchanged (HTML: multipart/form-data encoding algorithm); other clients write `\"`. `filename*` counts
 * only without `filename`, because browsers never send it (RFC 7578, 4.2). `undefined` if malformed.
 */
export function readDisposition(header: string): Disposition | undefined {
  const found = new Map<string, string>();
  let at = /^form-data\s*(?=;)/i.exec(header)?.[0].length;
  while (at !== undefined && at < header.length) {
    parameter.lastIndex = at;
    const [whole = '', key = '', quoted, token = ''] = parameter.exec(header) ?? [];
    const name = key.toLowerCase();
    if (whole === '' || found.has(name)) return undefined;
    found.set(name, quoted === undefined ? token : unquoted(quoted));
    at += whole.length;
  }
  const name = found.get('name');
  const filename = found.get('filename') ?? extended(found.get('filename*'));
  // A file without a readable name must not become text.
  if (name === undefined || (filename === undefined && found.has('filename*'))) return undefined;
  return filename === undefined ? { name } : { name, filename };
}

/** A quote after a backslash ends the text if a parameter could end there, because browsers write `"C:\"` for `C:\`. */
const parameter = /\s*;\s*([\w!#$&+.^`|~%'-]+\*?)\s*=\s*(?:"((?:\\"(?!\s*(?:;|$))|[^"])*)"|([^\s";]+))\s*/y;

const unquoted = (text: string): string =>
  (text.includes('\\"') ? text.replaceAll(/\\(["\\])/g, '$1') : text).replaceAll(
    /%(?:22|0D|0A)/gi,
    decodeURIComponent,
  );

/** RFC 8187, 3.2. */
function extended(text = ''): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
