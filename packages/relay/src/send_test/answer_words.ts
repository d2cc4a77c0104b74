import { ClientError } from '../base/client_error.ts';
import type { HttpAnswer } from '../base/effects.ts';
import { control, format } from '../base/unicode.ts';
import type { Message } from '../transports/index.ts';
import { type Reply, refusalText } from '../transports/smtp/reply.ts';
import type { Mask } from '../transports/transport.ts';

/** In characters: a line in a terminal, and enough for a reply of a mail server with its queue id. */
const longest = 160;

/** A server's answer to a message that it took, on one line, without secrets. Empty if there is nothing to quote. */
export function answerWords({ via }: Message, answer: unknown, mask: Mask): string {
  if (typeof answer === 'string') return answer;
  if (typeof answer !== 'object' || answer === null) return '';
  return via === 'smtp' ? replyWords(answer as Reply, mask) : httpWords(answer as HttpAnswer, mask);
}

/** A mail server's own words for a refusal, the same way. */
export const refusalWords = (error: unknown, mask: Mask): string =>
  error instanceof ClientError ? oneLine(refusalText(error), mask) : '';

const replyWords = ({ code, lines }: Reply, mask: Mask) => oneLine(`${code} ${lines.join(' ')}`, mask);

/** The status, and the beginning of the body. `body`: bytes where the answer is one of AWS. */
const httpWords = (
  { status, body }: Pick<HttpAnswer, 'status'> & { body: string | Uint8Array },
  mask: Mask,
) => `${status} ${bodyWords(body, mask)}`.trim();

/** The beginning of a body; empty for a page, which says nothing on one line. */
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
