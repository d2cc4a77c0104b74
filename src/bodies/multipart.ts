import { MultipartParseError, parseMultipart as parts } from '@remix-run/multipart-parser';
import type { SentFile } from '../files.ts';
import { maxBodyBytes } from '../http.ts';
import type { Message } from '../messages/message.ts';
import { err, ok, type Result } from '../result.ts';
import type { Sent } from './parse_body.ts';

const malformed = err({ code: 'multipart_malformed' } as const);

/** `multipart/form-data` as browsers send it (RFC 7578). */
export function parseMultipart(body: Uint8Array, contentType: string): Result<Sent, Message> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return malformed;
  const values = new Map<string, string[]>();
  const files = new Map<string, SentFile[]>();
  let fileBytes = 0;
  try {
    const limits = {
      maxHeaderSize: 8_192,
      maxParts: 1_000,
      maxFileSize: body.length,
      maxTotalSize: body.length,
    };
    for (const part of parts(body, { boundary, ...limits })) {
      const { name, filename } = part;
      if (name === undefined) return malformed;
      const bytes = part.content[0] ?? new Uint8Array();
      if (filename === undefined) {
        add(values, name, part.text);
      } else if (filename !== '' || bytes.length > 0) {
        fileBytes += bytes.length;
        add(files, name, { name: filename, type: part.mediaType ?? '', bytes });
      }
    }
  } catch (error) {
    if (error instanceof MultipartParseError || error instanceof TypeError) return malformed;
    throw error;
  }
  return body.length - fileBytes > maxBodyBytes ? err({ code: 'body_too_long' }) : ok({ values, files });
}

function add<T>(map: Map<string, T[]>, name: string, item: T): void {
  const others = map.get(name);
  if (others) others.push(item);
  else map.set(name, [item]);
}
