/** The source of a template with a current position, shared by all its parsers, and the parser of literals. */
import type { Place } from '../diagnostics.ts';

/** A mistake in a template. */
export interface TemplateMistake {
  readonly message: string;
  readonly within: Place & { readonly of: string };
  /** The word probably meant instead of `word`. */
  readonly suggestion?: string | undefined;
  readonly word?: string;
  /** The message if the template may be a secret, so that the message must not quote it. Default: `message`. */
  readonly unquoted?: string;
  /** Whether the mistake is one half of a block, such as `if` and its `end`: only the first half is reported. */
  readonly isOfBlock?: boolean;
}

/** Aborts the parsing of an action; caught only in parse.ts. */
export class Stop extends Error {
  readonly mistake: TemplateMistake;

  constructor(mistake: TemplateMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

const wordsOf = (letters: string, digits: string) => ({
  name: new RegExp(`[${letters}_][${letters}${digits}_]*`, 'uy'),
  /** Unlike a name, a field's name may begin with a digit and contain hyphens. */
  fieldName: new RegExp(`[${letters}${digits}_]+(?:-+[${letters}${digits}_]+)*`, 'uy'),
  number: new RegExp(`[+-]?[0-9][${letters}${digits}_.]*`, 'uy'),
});

const asciiWords = wordsOf('A-Za-z', '0-9');
let anyWords: typeof asciiWords | undefined;

/** Matches Unicode letters only if the template is not pure ASCII, because V8 takes time to load their classes. */
function wordsIn(source: string): typeof asciiWords {
  if (!/[^\0-\x7f]/.test(source)) return asciiWords;
  // Combining marks are parts of letters: of most letters in Indian scripts, and of `é` as macOS may write it.
  anyWords ??= wordsOf(String.raw`\p{L}\p{M}`, String.raw`\p{Nd}`);
  return anyWords;
}

export class Cursor {
  readonly source: string;
  readonly words: typeof asciiWords;
  at = 0;
  /** The start of the current action. */
  open = 0;

  constructor(source: string) {
    this.source = source;
    this.words = wordsIn(source);
  }

  /** Whether one of these texts follows. */
  sees(...texts: readonly string[]): boolean {
    return texts.some((text) => this.source.startsWith(text, this.at));
  }

  skipSpace(): void {
    while (isSpace(this.source[this.at])) this.at++;
  }

  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0];
  }

  match(pattern: RegExp): string | undefined {
    const text = this.peek(pattern);
    this.at += text?.length ?? 0;
    return text;
  }

  /** The range from `start` to the current position. */
  since(start: number): Place {
    return { offset: start, length: this.at - start };
  }

  get here(): Place {
    return { offset: this.at, length: 1 };
  }

  wrong(
    { offset, length }: Place,
    message: string,
    more?: Omit<TemplateMistake, 'message' | 'within'>,
  ): Stop {
    // A mistake at the end of the source means that the action was not closed.
    if (offset >= this.source.length) return this.neverClosed;
    return new Stop({ message, within: { of: this.source, offset, length }, ...more });
  }

  /** The mistake that the current action is not closed. */
  get neverClosed(): Stop {
    const within = { of: this.source, offset: this.open, length: 2 };
    return new Stop({ message: '"{{" is never closed', within });
  }
}

export const isSpace = (character: string | undefined): boolean =>
  character !== undefined && ' \t\r\n'.includes(character);

/** Parses quoted text, a number, `true` or `false`; `undefined` for anything else. */
export function readLiteral(cursor: Cursor): string | undefined {
  const start = cursor.at;
  if (cursor.sees('"')) return quoted(cursor);
  if (cursor.sees('`')) return rawQuoted(cursor);
  const number = cursor.match(cursor.words.number);
  if (number !== undefined) {
    if (/^[+-]?\d+(?:\.\d+)?$/.test(number)) return number;
    throw cursor.wrong(cursor.since(start), 'this is not a plain number; put it in double quotes');
  }
  return isBoolean(cursor.peek(cursor.words.name)) ? cursor.match(cursor.words.name) : undefined;
}

/** An escape in double quotes. The last group is empty if Go does not know the escape. */
const escapes =
  /((?:\\x[\da-fA-F]{2}|\\[0-3][0-7]{2})+)|\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv"\\]?))/g;
const escapedLetters: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
};

function quoted(cursor: Cursor): string {
  const { source } = cursor;
  const start = cursor.at++;
  while (!cursor.sees('"')) {
    if (cursor.at >= source.length || cursor.sees('\n'))
      throw cursor.wrong(
        { offset: start, length: 1 },
        'this quote is never closed; text in double quotes cannot span lines',
      );
    cursor.at += cursor.sees('\\') ? 2 : 1;
  }
  const text = source.slice(start + 1, cursor.at++);
  return text.replace(escapes, (_, bytes, hex4, hex8, letter, index) => {
    const character = unescaped(bytes, hex4 ?? hex8, letter);
    if (character !== undefined) return character;
    throw cursor.wrong(
      { offset: start + 1 + index, length: 1 },
      'unknown escape; in double quotes, write \\n \\t \\" \\\\ \\xHH or \\uHHHH',
    );
  });
}

function rawQuoted(cursor: Cursor): string {
  const start = cursor.at;
  const end = cursor.source.indexOf('`', start + 1);
  if (end === -1) throw cursor.wrong({ offset: start, length: 1 }, 'this quote is never closed');
  cursor.at = end + 1;
  // Drops carriage returns, like Go, so that a template means the same in a file with CRLF.
  return cursor.source.slice(start + 1, end).replaceAll('\r', '');
}

/** Decodes the groups of `escapes`, of which one is set; `undefined` if the result is not a character. */
function unescaped(bytes?: string, hex?: string, letter = ''): string | undefined {
  if (bytes !== undefined) return fromBytes(bytes);
  if (hex === undefined) return escapedLetters[letter];
  const code = parseInt(hex, 16);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

/** Decodes consecutive `\xHH` and `\ooo` as bytes of UTF-8, as in Go. */
function fromBytes(escapes: string): string {
  const codes = escapes
    .split('\\')
    .slice(1)
    .map((code) => (code[0] === 'x' ? parseInt(code.slice(1), 16) : parseInt(code, 8)));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(codes));
}

export const isBoolean = (word: string | undefined): boolean => word === 'true' || word === 'false';
