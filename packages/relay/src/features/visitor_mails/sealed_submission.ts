import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { pageAt } from '../../base/page_context.ts';
import { open, seal } from '../../base/seal.ts';
import { lengthBytes } from '../../base/sealed_size.ts';
import { parseUrl } from '../../base/url.ts';
import type { Held } from '../../form.ts';
import type { Settings } from '../../schema/settings/settings.ts';

type Origins = Settings['allowedOrigins'];

/** The submission as the text that a link holds. `fresh`: a text that was never used before. */
export const sealSubmission = (secret: string, formId: string, held: Held, fresh: string): string =>
  seal(secret, 'double opt-in', formId, deflateRawSync(pack(textsOf(held))), fresh);

/** The submission that a link holds; `undefined` where this relay did not seal it, for this form. */
export function openSubmission(
  { formTokenSecret, allowedOrigins }: Pick<Settings, 'formTokenSecret' | 'allowedOrigins'>,
  formId: string,
  sealed: string,
): Held | undefined {
  const content = open(formTokenSecret, 'double opt-in', formId, sealed);
  if (!content) return undefined;
  try {
    return heldIn(unpack(inflateRawSync(content, { maxOutputLength: mostBytes })), allowedOrigins);
  } catch {
    // Another version of the relay may have meant something else by it.
    return undefined;
  }
}

/** No link holds more, however well it is compressed: its texts are short, and a bomb would have to be sealed here. */
const mostBytes = 65_536;

function textsOf({ requestId, receivedAt, values, page }: Held): readonly string[] {
  const fields = [...values].flatMap(([name, sent]) => [name, String(sent.length), ...sent]);
  return [requestId, receivedAt.toString(36), page?.url ?? '', page?.title ?? '', ...fields];
}

function heldIn(
  [requestId = '', receivedAt = '', url = '', title = '', ...fields]: readonly string[],
  ownOrigins: Origins,
): Held {
  const values = new Map<string, readonly string[]>();
  for (let at = 0; at < fields.length; ) {
    const count = Number(fields[at + 1]);
    if (!(count >= 0)) throw new RangeError('a text is no count');
    values.set(fields[at] ?? '', fields.slice(at + 2, at + 2 + count));
    at += 2 + count;
  }
  const address = parseUrl(url);
  return {
    requestId,
    receivedAt: Number.parseInt(receivedAt, 36),
    values,
    page: address && pageAt(address, title, ownOrigins),
  };
}

/** Each text with its length before it, so that none costs more than it has bytes, whatever is in it. */
function pack(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Throws where the bytes are cut. */
function unpack(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + lengthBytes;
    const end = start + bytes.readUInt16BE(at);
    if (end > bytes.length) throw new RangeError('a text is cut');
    texts.push(bytes.toString('utf8', start, end));
    at = end;
  }
  return texts;
}
