import { ClientError } from '@form-relay/base/client_error';
import { control, format } from '@form-relay/base/unicode';
import { refusalText } from '@form-relay/clients/smtp/reply';
import { isMap } from '@form-relay/schema/schema';
import type { Secrets } from './secrets.ts';

/** In characters: a line in a terminal, and enough for a reply of a mail server with its queue id. */
const longest = 160;

type Mask = Pick<Secrets, 'json'>;

/**
 * A server's answer on one line, without secrets: a mail server's reply, or the status and the beginning of the body,
 * which is in bytes from AWS. Empty if the client says nothing.
 */
export function answerWords(answer: unknown, mask: Mask): string {
  const { lines, code, status, body }: Readonly<Record<string, unknown>> = isMap(answer) ? answer : {};
  if (Array.isArray(lines)) return oneLine(`${code} ${lines.join(' ')}`, mask);
  return status === undefined ? '' : `${status} ${bodyWords(body as string | Uint8Array, mask)}`.trim();
}

/** A mail server's own words for a refusal. */
export const refusalWords = (error: unknown, mask: Mask): string =>
  error instanceof ClientError ? oneLine(refusalText(error), mask) : '';

/** The beginning of a body; a page says nothing on one line. */
export function bodyWords(body: string | Uint8Array, mask: Mask): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return /^\s*<(!doctype|html)\b/i.test(text) ? '(an HTML page)' : oneLine(text, mask);
}

/** Masked before it is cut: half a secret is a secret, too. */
function oneLine(text: string, mask: Mask): string {
  const plain = mask.json(text).replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}

const unprintable = new RegExp(`[${control}${format}\\u2028\\u2029]`, 'gu');
