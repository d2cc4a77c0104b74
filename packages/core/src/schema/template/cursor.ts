/** A template's source and the current position, for all parsers of the language. */
import type { Place } from '../diagnostics.ts';

/** A mistake in a template. */
export interface TemplateMistake {
  readonly message: string;
  readonly within: Place & { readonly of: string };
  /** What was probably meant instead of `word`. */
  readonly suggestion?: string | undefined;
  readonly word?: string;
  /** The message where the template may be a secret, and no word of it may be quoted. Default: the message. */
  readonly unquoted?: string;
  /** It is one half of a block, such as `if` and its `end`, so that only the first is told. */
  readonly isOfBlock?: boolean;
}

/** Aborts the parsing of an action; only parse.ts catches it. */
export class Stop extends Error {
  readonly mistake: TemplateMistake;

  constructor(mistake: TemplateMistake) {
    super(mistake.message);
    this.mistake = mistake;
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

/** Matches Unicode letters only if a template holds more than ASCII: V8 looks their classes up at a cost. */
function wordsIn(source: string): typeof asciiWords {
  if (!/[^\0-\x7f]/.test(source)) return asciiWords;
  // Marks are parts of letters: of most of them in India, and of `é` as a Mac may write it.
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

  /** Whether one of these texts is next. */
  sees(...texts: readonly string[]): boolean {
    return texts.some((text) => this.source.startsWith(text, this.at));
  }

  skipSpace(): void {
    while (isSpace(this.source[this.at])) this.at++;
  }

  peek(pattern: RegExp, at = this.at): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.source)?.[0];
  }

  match(pattern: RegExp): string | undefined {
    const text = this.peek(pattern);
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

  wrong(
    { offset, length }: Place,
    message: string,
    more?: Omit<TemplateMistake, 'message' | 'within'>,
  ): Stop {
    // At the end of the source, the mistake is the action that was not closed.
    if (offset >= this.source.length) return this.neverClosed;
    return new Stop({ message, within: { of: this.source, offset, length }, ...more });
  }

  /** About the current action. */
  get neverClosed(): Stop {
    const within = { of: this.source, offset: this.open, length: 2 };
    return new Stop({ message: '"{{" is never closed', within });
  }
}

export const isSpace = (character: string | undefined): boolean =>
  character !== undefined && ' \t\r\n'.includes(character);
