/** A mail as its reader's program understands it. */
export interface Letter {
  /** Unfolded, in order; values with their encoded words read. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The text of its first part that is text. Line breaks are `\n`, and there is none at the end. */
  readonly text: string;
  /** As sent, one character a byte (Latin-1). */
  readonly source: string;
}

export const headerOf = ({ headers }: Letter, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];

/** Reads a mail as it followed DATA, dots unstuffed. */
export function readLetter(source: string): Letter {
  const { headers, text } = readPart(source);
  return { headers: headers.map(([name, value]) => [name, decodeWords(value)]), text, source };
}

function readPart(source: string): Pick<Letter, 'headers' | 'text'> {
  const headEnd = source.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? source : source.slice(0, headEnd);
  const body = headEnd < 0 ? '' : source.slice(headEnd + 4);
  const headers = head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  const find = (name: string) => headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? '';
  const boundary = /^multipart\/.*?boundary="?([^";]+)"?/i.exec(find('content-type'))?.[1];
  if (boundary !== undefined) {
    const [, first = ''] = body.split(`--${boundary}\r\n`);
    return { headers, text: readPart(first.split(`\r\n--${boundary}`)[0] ?? '').text };
  }
  const text = decodeBytes(body, find('content-transfer-encoding').toLowerCase()).toString('utf8');
  return { headers, text: text.replaceAll('\r\n', '\n').replace(/\n+$/, '') };
}

function decodeBytes(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  return encoding === 'quoted-printable'
    ? unquoted(body.replaceAll('=\r\n', ''))
    : Buffer.from(body, 'latin1');
}

const unquoted = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** RFC 2047. Words are joined before they are decoded, since a character may be split between two. */
function decodeWords(value: string): string {
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;
  return value
    .replaceAll(/\?=[ \t]+(?==\?)/g, '?=')
    .replaceAll(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(word)].map(([, kind, text = '']) =>
          kind?.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : unquoted(text.replaceAll('_', ' ')),
        ),
      ).toString('utf8'),
    );
}
