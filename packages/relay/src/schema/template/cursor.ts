/** A template's source and where its reading stands: what every part of the language is read with. */
import { type Finding, type FindingArgs, type FindingCode, finding } from '../../base/config_finding.ts';
import type { Place } from '../../base/place.ts';
import { decimalDigit, letter } from '../../base/unicode.ts';

/** Ends the reading of a template; parse.ts gives its finding as a value. Nothing else throws or catches it. */
export class Mistake extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(finding.code);
    this.finding = finding;
  }
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

  /** What was read from `start` on. */
  since(start: number): Place {
    return { offset: start, length: this.at - start };
  }

  /** The next character. */
  get here(): Place {
    return { offset: this.at, length: 1 };
  }

  /** Its parameters must not hold what stands in quotes, which may be a secret. */
  mistake<C extends FindingCode>(place: Place, code: C, ...args: FindingArgs<C>): Mistake {
    const within = { of: this.source, ...place };
    if (within.offset < this.source.length) return new Mistake({ ...finding(code, [], ...args), within });
    // Whatever is missing at the end of the source, the cause is the action that goes on until there.
    return this.neverClosed;
  }

  /** Of the action being read. */
  get neverClosed(): Mistake {
    const within = { of: this.source, offset: this.open, length: 2 };
    return new Mistake({ ...finding('template_never_closed', []), within });
  }
}

export function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}
