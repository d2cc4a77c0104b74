/** A template's source and the current position, for all parsers of the language. */

import { decimalDigit, letter, mark } from '../../base/unicode.ts';
import { type Finding, type FindingArgs, type FindingCode, finding, type Place } from '../finding.ts';

/** Aborts the parsing of a template; only parse.ts catches it and returns its finding. */
export class Mistake extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(finding.code);
    this.finding = finding;
  }
}

const wordsOf = (letters: string, digits: string) => ({
  name: new RegExp(`[${letters}_][${letters}${digits}_]*`, 'uy'),
  /** Unlike a name, it may begin with a digit, and contain hyphens. */
  fieldName: new RegExp(`[${letters}${digits}_]+(?:-+[${letters}${digits}_]+)*`, 'uy'),
  number: new RegExp(`[+-]?[0-9][${letters}${digits}_.]*`, 'uy'),
});

const asciiWords = wordsOf('A-Za-z', '0-9');
let anyWords: typeof asciiWords | undefined;

/** Matches Unicode letters only if a template holds more than ASCII. */
function wordsIn(source: string): typeof asciiWords {
  if (!/[^\0-\x7f]/.test(source)) return asciiWords;
  // Marks are parts of letters: of most of them in India, and of `é` as a Mac may write it.
  anyWords ??= wordsOf(letter + mark, decimalDigit);
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

  /** The text from `start` to the current position. */
  since(start: number): Place {
    return { offset: start, length: this.at - start };
  }

  get here(): Place {
    return { offset: this.at, length: 1 };
  }

  /** Never put quoted text into params: it may be a secret. */
  mistake<C extends FindingCode>(place: Place, code: C, ...args: FindingArgs<C>): Mistake {
    const within = { of: this.source, ...place };
    if (within.offset < this.source.length) return new Mistake({ ...finding(code, [], ...args), within });
    // At the end of the source, the mistake is the action that was not closed.
    return this.neverClosed;
  }

  /** About the current action. */
  get neverClosed(): Mistake {
    const within = { of: this.source, offset: this.open, length: 2 };
    return new Mistake({ ...finding('template_never_closed', []), within });
  }
}

export function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}
