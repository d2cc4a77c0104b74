/** A template's source and where its reading stands: what every part of the language is read with. */
import { decimalDigit, letter } from '../unicode.ts';

/** Why a template cannot be used, and where: offset and length are UTF-16 units of its source. */
export interface TemplateProblem {
  readonly kind: 'problem';
  /** Never repeats what stands in quotes, which may be a secret. */
  readonly message: string;
  readonly offset: number;
  readonly length: number;
}

/** Ends the reading of a template; parse.ts returns its problem. */
export class Mistake extends Error {
  readonly problem: TemplateProblem;

  constructor(message: string, { start, end }: Span) {
    super(message);
    this.problem = { kind: 'problem', message, offset: start, length: end - start };
  }
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What words are made of. */
const wordsOf = (letters: string, digits: string) => ({
  name: new RegExp(`[${letters}_][${letters}${digits}_]*`, 'uy'),
  fieldName: new RegExp(`[${letters}_][${letters}${digits}_]*(?:-+[${letters}${digits}_]+)*`, 'uy'),
  number: new RegExp(`[+-]?[0-9][${letters}${digits}_.]*`, 'uy'),
});

const asciiWords = wordsOf('A-Za-z', '0-9');
let anyWords: typeof asciiWords | undefined;

/** Unicode's letters are looked up only for templates that hold more than ASCII. */
function wordsIn(source: string): typeof asciiWords {
  if (!/[^\0-\x7f]/.test(source)) return asciiWords;
  anyWords ??= wordsOf(letter, decimalDigit);
  return anyWords;
}

export class Cursor {
  readonly source: string;
  readonly words: typeof asciiWords;
  at = 0;
  /** Where the action being read opens. */
  open = 0;

  constructor(source: string) {
    this.source = source;
    this.words = wordsIn(source);
  }

  sees(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  skipSpace(): void {
    while (isSpace(this.source[this.at])) this.at++;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source)?.[0];
    this.at += text?.length ?? 0;
    return text;
  }

  mistake(message: string, start = this.at, end = start + 1): Mistake {
    // Whatever is missing at the end of the source, the cause is the action that goes on until there.
    if (start >= this.source.length) {
      return new Mistake('"{{" is never closed', { start: this.open, end: this.open + 2 });
    }
    return new Mistake(message, { start, end });
  }
}

export function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}
