import { wholeOf } from '../../packages/base/src/streamed.ts';
import { composeMail } from '../../packages/clients/src/mail/compose.ts';
import type { Mail } from '../../packages/core/src/services.ts';

/** A mail as sent after DATA, including files, one character per byte. */
export async function sentMail(mail: Mail) {
  const { source, rest, envelope } = await composeMail(mail);
  const files = rest ? wholeOf(rest).toString('latin1') : '';
  return { raw: source + files, envelope };
}

/** A mail's unfolded headers, and its text, as a mail program decodes them. */
export function decodeMail(raw: string): {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
} {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const headers = head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
  const encoding = headers.find(([name]) => name === 'Content-Transfer-Encoding')?.[1];
  const bytes = decodeBytes(raw.slice(head.length + 4), encoding);
  return { headers, text: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

function decodeBytes(body: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  return encoding === 'quoted-printable'
    ? unquote(body.replaceAll('=\r\n', ''))
    : Buffer.from(body, 'latin1');
}

const unquote = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** A header's value with its encoded words decoded (RFC 2047). */
export function decodeWords(value: string): string {
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;
  // Space between encoded words is removed, and words are joined before decoding, because a character may be split.
  return value
    .replaceAll(/(?<=\?=)\s+(?==\?)/g, '')
    .replaceAll(new RegExp(`(${word.source})+`, 'gi'), (words) =>
      Buffer.concat(
        [...words.matchAll(word)].map(([, kind, text = '']) =>
          kind?.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : unquote(text.replaceAll('_', ' ')),
        ),
      ).toString('utf8'),
    );
}
