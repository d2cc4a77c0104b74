import { isUtf8 } from 'node:buffer';
import type { SentFile } from '../files.ts';
import { maxBodyBytes } from '../http.ts';
import type { Message } from '../messages/message.ts';
import { err, ok, type Result } from '../result.ts';
import { readPartHead } from './part_head.ts';
import type { Sent } from './sent.ts';

/** Two fields of a hundred files each, and as many texts. */
const mostParts = 400;

/** Of one part, all together: the names of the field and of its file stand in them. */
const mostHeadBytes = 8_192;

const malformed = err({ code: 'multipart_malformed' } as const);
const notUtf8 = err({ code: 'body_not_utf8' } as const);
const textTooLong = err({ code: 'text_too_long' } as const);

/**
 * `multipart/form-data` as browsers and HTTP libraries send it (RFC 7578). What could be read in two ways is malformed, and
 * text is UTF-8 (D93). Files are pieces of the body: nothing is copied.
 */
export function parseMultipart(bytes: Uint8Array, contentType: string): Result<Sent, Message> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return malformed;
  const parts = partsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), boundary);
  if (!parts.ok) return parts;
  const values = new Map<string, string[]>();
  const files = new Map<string, SentFile[]>();
  let fileBytes = 0;
  let textBytes = 0;
  for (const part of parts.value) {
    const headEnd = part.subarray(0, mostHeadBytes).indexOf('\r\n\r\n');
    if (headEnd < 0) return malformed;
    const headBytes = part.subarray(0, headEnd);
    if (!isUtf8(headBytes)) return notUtf8;
    const head = readPartHead(headBytes.toString());
    if (!head) return malformed;
    const { name, filename, type } = head;
    const content = part.subarray(headEnd + 4);
    if (filename === undefined) {
      textBytes += content.length;
      if (textBytes > maxBodyBytes) return textTooLong;
      if (!isUtf8(content)) return notUtf8;
      add(values, name, content.toString());
    } else if (filename !== '' || content.length > 0) {
      fileBytes += content.length;
      add(files, name, { name: filename, type, bytes: content });
    }
    // Else it is a field in which no file was chosen.
  }
  return bytes.length - fileBytes > maxBodyBytes ? textTooLong : ok({ values, files });
}

/** RFC 2046, 5.1.1. */
function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?])"|([\w'()+,\-./:=?]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  return quoted ?? plain;
}

/** What stands between the delimiters. What stands before and after them is no part (RFC 2046, 5.1.1). */
function partsOf(body: Buffer, boundary: string): Result<readonly Buffer[], Message> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  const parts: Buffer[] = [];
  let at = isFirst ? -2 : body.indexOf(delimiter);
  if (at === -1) return malformed;
  for (;;) {
    const start = at + delimiter.length;
    const after = body.toString('latin1', start, start + 2);
    if (after === '--') return ok(parts);
    // The line end may begin the next delimiter: of a part in which nothing is, not even a head.
    at = after === '\r\n' ? body.indexOf(delimiter, start) : -1;
    if (at < 0) return malformed;
    if (parts.length === mostParts) return err({ code: 'too_many_parts', params: { max: mostParts } });
    parts.push(body.subarray(start + 2, at));
  }
}

function add<T>(map: Map<string, T[]>, name: string, item: T): void {
  const others = map.get(name);
  if (others) others.push(item);
  else map.set(name, [item]);
}
