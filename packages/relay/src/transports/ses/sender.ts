import { bareAddress } from '../../base/address.ts';
import type { Mailbox } from '../../base/effects.ts';

/**
 * MAIL_FROM_ADDRESS, as it was checked: an address, or one with a name before it. The name is taken as it comes, with or
 * without quotes, also in encoded words (RFC 2047), as other programs write it.
 */
export function senderOf(text: string): Mailbox {
  const address = bareAddress(text);
  const [, before = ''] = /^([^<>]*)</.exec(text) ?? [];
  const name = before
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll(/\\(.)/g, '$1');
  const readable = decoded(name)
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim();
  return readable === '' ? address : { name: readable, address };
}

const decoded = (name: string): string =>
  name
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(
      /=\?([^?*]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi,
      (word, charset: string, kind: string, data: string) =>
        read(kind.toLowerCase() === 'b' ? Buffer.from(data, 'base64') : unquoted(data), charset) ?? word,
    );

const unquoted = (data: string): Buffer =>
  Buffer.from(
    data
      .replaceAll('_', ' ')
      .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** `undefined` for letters that Node.js does not know. */
function read(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}
