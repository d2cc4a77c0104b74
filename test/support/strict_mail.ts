/**
 * Reads a mail as the strictest of readers would, from RFC 5322, 2045 to 2047 and 6532's absence: what no server need
 * take, or what two readers may see in two ways, throws. It shares no code with what composes.
 */
import { TextDecoder } from 'node:util';

export interface StrictMail {
  /** Unfolded, as they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The only header of this name, if any. */
  header(name: string): string | undefined;
  /** The same, with its encoded words read. */
  words(name: string): string;
  mailboxes(name: string): readonly { readonly name: string; readonly address: string }[];
  /** Of a multipart each of its parts, otherwise the body alone. */
  readonly parts: readonly StrictPart[];
  readonly files: readonly StrictFile[];
}

interface StrictPart {
  /** In lower case, such as `text/plain`. */
  readonly type: string;
  /** With CRLF between lines. */
  readonly text: string;
}

interface StrictFile {
  /** With its parameters but for the name. */
  readonly type: string;
  /** As RFC 2231 has it. */
  readonly name: string;
  /** As programs have it that know RFC 2047 alone, where it is to be nowhere. */
  readonly nameInWords: string;
  readonly bytes: Buffer;
}

/** At most one of each (RFC 5322, 3.6). */
const once =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|auto-submitted)$/i;

/** @param raw One character a byte, as it follows DATA, with dots unstuffed. */
export function readStrictly(raw: string): StrictMail {
  const [, strange] = /([^\t\r\n -\x7f])/.exec(raw) ?? [];
  ensure(strange === undefined, `a mail of 7 bits holds ${JSON.stringify(strange)}`);
  ensure(raw.endsWith('\r\n'), 'the last line has no end');
  const lines = raw.split('\r\n');
  for (const line of lines) {
    ensure(!/[\r\n]/.test(line), 'a line ends with CR or LF alone');
    ensure(line.length <= 998, `a line of ${line.length} bytes`);
  }
  const { headers, body } = entity(raw);
  for (const name of ['from', 'date', 'message-id', 'mime-version', 'subject', 'to'])
    ensure(
      headers.some((one) => one[0].toLowerCase() === name),
      `no ${name}`,
    );
  const header = (name: string) => headers.find((one) => one[0].toLowerCase() === name.toLowerCase())?.[1];
  ensure(/^<[^<>@\s]+@[^<>@\s]+>$/.test(header('message-id') ?? ''), 'a Message-ID is <id@domain>');
  ensure(
    /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} \+0000$/.test(
      header('date') ?? '',
    ),
    'no Date as RFC 5322 has it',
  );
  ensure(header('mime-version') === '1.0', 'MIME-Version is 1.0');
  return {
    headers,
    header,
    words: (name) => wordsOf(header(name) ?? ''),
    mailboxes: (name) => mailboxesIn(header(name) ?? ''),
    ...partsOf(headers, body),
  };
}

function ensure(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise);
}

function entity(text: string) {
  const end = text.indexOf('\r\n\r\n');
  ensure(end > 0, 'no empty line after the headers');
  const headers: [name: string, value: string][] = [];
  for (const line of text.slice(0, end).split('\r\n')) {
    if (/^[ \t]/.test(line)) {
      const last = headers.at(-1);
      // RFC 5322, 4.2: a line of white space alone is obsolete, and some take it for the end.
      ensure(last !== undefined && line.trim() !== '', 'nothing is continued, or with nothing');
      last[1] += line;
      continue;
    }
    const [, name, value = ''] = /^([!-9;-~]+):(.*)$/.exec(line) ?? [];
    ensure(name !== undefined, `no header: ${JSON.stringify(line)}`);
    ensure(
      !once.test(name) || !headers.some((one) => one[0].toLowerCase() === name.toLowerCase()),
      `two headers ${name}`,
    );
    headers.push([name, value]);
  }
  return {
    headers: headers.map(([name, value]): [string, string] => [name, value.replace(/^ /, '')]),
    body: text.slice(end + 4),
  };
}

function partsOf(
  headers: StrictMail['headers'],
  body: string,
  isNested = false,
): Pick<StrictMail, 'parts' | 'files'> {
  const headerOf = (name: string) => headers.find((one) => one[0].toLowerCase() === name)?.[1] ?? '';
  const type = headerOf('content-type');
  const disposition = headerOf('content-disposition');
  const encoding = headerOf('content-transfer-encoding');
  if (disposition !== '') return { parts: [], files: [fileOf(type, disposition, encoding, body)] };
  const [, subtype] = /^multipart\/([a-z]+);/.exec(type) ?? [];
  if (subtype === undefined) {
    ensure(/^text\/(plain|html); charset=utf-8$/.test(type), `Content-Type: ${type}`);
    return { parts: [{ type: type.replace(/;.*/, ''), text: decoded(body, encoding) }], files: [] };
  }
  const [, boundary = ''] = /; boundary="([^"]+)"$/.exec(type) ?? [];
  // RFC 2046, 5.1.1.
  ensure(/^[\w'()+,./:=? -]{1,70}$/.test(boundary) && !boundary.endsWith(' '), `boundary ${boundary}`);
  const [preamble, ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`);
  ensure(preamble === '', 'something stands before the first part');
  const last = pieces.pop();
  // The line break after a multipart within another belongs to the boundary that follows.
  ensure(last === '--\r\n' || (isNested && last === '--'), 'something stands after the last part');
  ensure(pieces.length > 1, 'a multipart of less than two');
  const all = pieces.map((piece) => {
    ensure(piece.startsWith('\r\n'), 'what looks like a boundary is longer');
    const part = entity(`${piece.slice(2)}\r\n`);
    return partsOf(part.headers, part.body.slice(0, -2), true);
  });
  return { parts: all.flatMap(({ parts }) => parts), files: all.flatMap(({ files }) => files) };
}

function fileOf(type: string, disposition: string, encoding: string, body: string): StrictFile {
  ensure(encoding === 'base64', `a file in ${encoding}`);
  const described = parametersOf(type);
  const disposed = parametersOf(disposition);
  ensure(disposed.value === 'attachment', disposition);
  ensure(/^(?!message|multipart)[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(described.value), type);
  const { name = '', ...others } = Object.fromEntries(described.parameters);
  const words = /^=\?/.test(name) ? wordsOf(name) : name;
  const more = Object.entries(others).map(([key, value]) => `; ${key}=${value}`);
  return {
    type: described.value + more.join(''),
    name: sectionsOf(disposed.parameters),
    nameInWords: words,
    bytes: bytesOf(body, encoding),
  };
}

/** RFC 2045, 5.1: a value, and each parameter once, as a token or in quotes. */
function parametersOf(header: string) {
  const [, value = '', list = ''] = /^([^\s;]+)((?:;[ \t]*[^ \t].*)?)$/.exec(header) ?? [];
  ensure(value !== '', `no value: ${header}`);
  const parameters = new Map<string, string>();
  let rest = list;
  while (rest !== '') {
    const [all = '', key = '', token, quoted = ''] =
      /^;[ \t]*([\w*]+)=(?:([!#$%&'*+.^`{|}~\w-]+)|"((?:[ !#-[\]-~\t]|\\.)*)")/.exec(rest) ?? [];
    ensure(all !== '', `no parameter: ${rest}`);
    ensure(!parameters.has(key), `two of ${key}`);
    parameters.set(key, token ?? quoted.replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(all.length);
  }
  return { value, parameters };
}

/** RFC 2231, 3 and 4, without sections that are not encoded. */
function sectionsOf(parameters: ReadonlyMap<string, string>): string {
  const keys = [...parameters.keys()];
  if (keys.length === 1 && keys[0] === 'filename') return parameters.get('filename') ?? '';
  const expected = keys.length === 1 ? ['filename*'] : keys.map((_, index) => `filename*${index}*`);
  ensure(keys.join() === expected.join(), `sections ${keys.join()}`);
  const all = [...parameters.values()].join('');
  ensure(/^utf-8''(?:[\w!#$&+.^`{|}~-]|%[\dA-F]{2})*$/.test(all), `no extended value: ${all}`);
  for (const section of parameters.values()) ensure(!/%.?$/.test(section), `half a byte: ${section}`);
  return decodeURIComponent(all.slice("utf-8''".length));
}

function decoded(body: string, encoding: string): string {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return encoding === '7bit' || encoding === '' ? body : utf8.decode(bytesOf(body, encoding));
}

function bytesOf(body: string, encoding: string): Buffer {
  const lines = body.split('\r\n');
  for (const line of lines) ensure(line.length <= 76, `a line of ${line.length} in ${encoding}`);
  if (encoding === 'base64') {
    ensure(/^(?:[a-z\d+/]{4}|\r\n)*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?(?:\r\n)*$/i.test(body), 'no base64');
    return Buffer.from(body, 'base64');
  }
  ensure(encoding === 'quoted-printable', `Content-Transfer-Encoding: ${encoding}`);
  for (const line of lines) {
    ensure(/^(?:[\t -<>-~]|=[\dA-F]{2})*=?$/.test(line), `not quoted-printable: ${JSON.stringify(line)}`);
    ensure(!/[ \t]$/.test(line), 'space at the end of a line, which servers may take off');
  }
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

const encodedWord = /^=\?utf-8\?([bq])\?([!->@-~]+)\?=$/i;

/** RFC 2047: encoded words stand alone between spaces, and each holds whole characters. */
function wordsOf(value: string): string {
  let text = '';
  let spaces = '';
  let wasEncoded = false;
  for (const [index, token] of value.split(/([ \t]+)/).entries()) {
    if (index % 2 === 1) {
      spaces = token;
      continue;
    }
    const [, kind, content = ''] = encodedWord.exec(token) ?? [];
    // Space between two does not count.
    if (!(wasEncoded && kind !== undefined)) text += spaces;
    spaces = '';
    wasEncoded = kind !== undefined;
    if (kind === undefined) {
      ensure(!token.includes('=?'), `half an encoded word: ${token}`);
      text += token;
    } else {
      ensure(token.length <= 75, `an encoded word of ${token.length}`);
      text += wordOf(kind, content);
    }
  }
  return text;
}

function wordOf(kind: string, content: string): string {
  const isBase64 = kind.toLowerCase() === 'b';
  ensure(
    isBase64 ? /^[a-z\d+/]+={0,2}$/i.test(content) : /^(?:[!-<>@-~]|=[\dA-F]{2})+$/.test(content),
    `an encoded word of ${content}`,
  );
  const bytes = isBase64
    ? Buffer.from(content, 'base64')
    : Buffer.from(
        content
          .replaceAll('_', ' ')
          .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      );
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** RFC 5322, 3.4, without what is obsolete: `a@b`, `Anna Berg <a@b>`, `"Berg, Anna" <a@b>`, with commas between. */
function mailboxesIn(value: string): readonly { name: string; address: string }[] {
  const found: { name: string; address: string }[] = [];
  let rest = value.trim();
  const atoms = /^[\w!#$%&'*+/=?^`{|}~ \t-]*/;
  while (rest !== '') {
    const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(rest) ?? [];
    const [phrase = ''] = quoted === undefined ? (atoms.exec(rest) ?? []) : [quoted];
    const [inBrackets, address] = /^\s*<([^<>\s]+)>/.exec(rest.slice(phrase.length)) ?? [];
    if (inBrackets === undefined || address === undefined) {
      const [bare = ''] = /^[^\s,;:<>"()]+/.exec(rest) ?? [];
      ensure(isAddress(bare), `no mailbox: ${rest}`);
      found.push({ name: '', address: bare });
      rest = rest.slice(bare.length);
    } else {
      ensure(isAddress(address), `no address: ${address}`);
      // In a quoted string there is no encoded word (RFC 2047, 5).
      const name =
        quoted === undefined ? wordsOf(phrase.trim()) : quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1');
      ensure(quoted === undefined || !quoted.includes('=?'), `an encoded word in quotes: ${quoted}`);
      ensure(name !== '' || phrase.trim() === '', `an empty name: ${rest}`);
      found.push({ name, address });
      rest = rest.slice(phrase.length + inBrackets.length);
    }
    const [comma] = /^\s*(?:,\s*|$)/.exec(rest) ?? [];
    ensure(comma !== undefined, `something behind a mailbox: ${rest}`);
    rest = rest.slice(comma.length);
    ensure(rest !== '' || !comma.includes(','), 'a comma at the end');
  }
  return found;
}

const isAddress = (text: string) =>
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[\w-]+(?:\.[\w-]+)*|\[[\w.:]+\])$/.test(text);
