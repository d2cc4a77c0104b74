import { createHash } from 'node:crypto';
import { addressOf } from '@form-relay/base/address';
import { base64Of, base64OfStreamed, joined, jsonOf, type Streamed } from '@form-relay/base/streamed';
import type { Mail } from '@form-relay/core/services';
import { base64Lines } from '../mail/attachments.ts';
import { composeMail, sizeOf } from '../mail/compose.ts';
import { yieldingPieces } from '../socket.ts';
import { failed } from './failures.ts';
import { destinationOf, mailboxHeader, simpleContent } from './ses_content.ts';

/** SES's limit for a mail with its files in base64. */
const mostBytes = 40 * 1_024 * 1_024;

/**
 * The request for a mail with files. SES composes the mail, since MIME would have the files in base64 twice. SES takes
 * the owner's headers in ASCII alone, so a mail with such headers is sent as MIME. Rejects with a `ClientError` if
 * the mail is too large for SES.
 *
 * @param about Further members of the request.
 */
export async function sesRequestWithFiles(
  mail: Mail,
  about: object = {},
): Promise<{ readonly streamed: Streamed; readonly sha256: string }> {
  const request = await (mail.headers ? asMime(mail) : asParts(mail));
  const streamed = jsonOf({ ...request, ...about });
  const hash = createHash('sha256');
  for await (const piece of yieldingPieces(streamed)) hash.update(piece);
  return { streamed, sha256: hash.digest('hex') };
}

function asParts(mail: Mail): object {
  const { attachments = [] } = mail;
  const { Content, ...rest } = simpleContent(mail);
  const request = {
    ...rest,
    Destination: destinationOf(mail, mailboxHeader),
    Content: {
      Simple: {
        ...Content.Simple,
        Attachments: attachments.map((file) => ({
          FileName: file.name,
          ContentType: file.type,
          RawContent: base64Of(file.bytes),
        })),
      },
    },
  };
  const filesBytes = attachments.reduce((sum, { bytes }) => sum + base64Lines(bytes).byteLength, 0);
  ensureSize(filesBytes + Buffer.byteLength(mail.text + (mail.html ?? '')));
  return request;
}

async function asMime(mail: Mail): Promise<object> {
  const composed = await composeMail(mail);
  ensureSize(sizeOf(composed));
  const { source, rest } = composed;
  const mime = joined(rest ? [source, rest] : [source]);
  return {
    Content: { Raw: { Data: base64OfStreamed(mime) } },
    Destination: destinationOf(mail, addressOf),
  };
}

function ensureSize(size: number): void {
  if (size > mostBytes) throw failed('message_too_large', { size, most: mostBytes });
}
