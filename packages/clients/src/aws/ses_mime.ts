import { createHash } from 'node:crypto';
import { base64OfStreamed, joined, jsonOf, type Streamed } from '@form-relay/base/streamed';
import type { Mail } from '@form-relay/core/services';
import { composeMail, sizeOf } from '../mail/compose.ts';
import { yieldingPieces } from '../socket.ts';
import { failed } from './sign.ts';

/** SES's size limit for a mail, with its files in base64. */
const mostBytes = 40 * 1_024 * 1_024;

/**
 * The SES request for a mail composed as for SMTP, with these additional members. SES replaces its
 * `Message-ID` and `Date`. Rejects with a `ClientError` if the mail is too large for SES.
 */
export async function sesRequestWithMime(
  mail: Mail,
  about: object,
): Promise<{ readonly streamed: Streamed; readonly sha256: string }> {
  const composed = await composeMail(mail);
  const size = sizeOf(composed);
  if (size > mostBytes) throw failed('message_too_large', { size, most: mostBytes });
  const { source, rest } = composed;
  const mime = joined(rest ? [source, rest] : [source]);
  const streamed = jsonOf({ Content: { Raw: { Data: base64OfStreamed(mime) } }, ...about });
  const hash = createHash('sha256');
  for await (const piece of yieldingPieces(streamed)) hash.update(piece);
  return { streamed, sha256: hash.digest('hex') };
}
