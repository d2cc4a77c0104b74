import { createHash } from 'node:crypto';
import type { Dkim } from '@form-relay/core/services';
import sign from 'nodemailer/lib/dkim/sign.js';
import { yieldingPieces } from '../socket.ts';
import type { ComposedMail } from './compose.ts';
import { readDkimKey } from './dkim_key.ts';

/**
 * The header that signs a mail (RFC 6376), made by nodemailer: RSA and SHA-256, headers and body "relaxed".
 * Rejects with a `ClientError` for a malformed key.
 */
export async function signatureOf(
  { source, rest }: Pick<ComposedMail, 'source' | 'rest'>,
  { domain, selector, key }: Dkim,
): Promise<string> {
  const privateKey = readDkimKey(key);
  const end = source.indexOf('\r\n\r\n');
  const headers = source
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((line) => ({ key: line.slice(0, line.indexOf(':')).toLowerCase(), line }));
  const hash = createHash('sha256');
  const body = relaxed(source.slice(end + 4));
  hash.update(rest ? body : withOneEnd(body), 'latin1');
  // Relaxing does not change files.
  if (rest) for await (const piece of yieldingPieces(rest)) hash.update(piece);
  const keys = { domainName: domain, keySelector: selector, privateKey };
  return `${sign(headers, 'sha256', hash.digest('base64'), keys)}\r\n`;
}

/** RFC 6376, 3.4.4, except for empty lines at the end. */
const relaxed = (body: string) => body.replaceAll(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n');

/** Removes empty lines at the end (RFC 6376, 3.4.4). */
function withOneEnd(body: string): string {
  let end = body.length;
  while (body.endsWith('\r\n', end)) end -= 2;
  return end === 0 ? '' : `${body.slice(0, end)}\r\n`;
}
