/** Reads formulas of computed fields, such as `guests * 80 + sum(extras)`, into steps (packages/element/src/formula). */

import type { Result } from '@form-relay/core/index';
import { didYouMean, err, nearest, ok } from '@form-relay/core/kit';
import { decimal, type Step } from '@form-relay/element/formula/work_out';

/** A stretch of a formula, in UTF-16 units. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

export interface ParsedFormula {
  readonly source: string;
  readonly steps: readonly Step[];
  readonly reads: readonly Read[];
}

/** A field that a formula reads, at its first place. */
export interface Read extends Place {
  readonly name: string;
  /** `count`, or the number of the value in `sum`, `min` or `max` that it is in; 0 in none. */
  readonly within: 'count' | number;
}

const longest = 1000;
const deepest = 50;
export const mostDigits = 10;
const withoutOperator =
  'expected one of + - * / here, or the end; write 0.5 with a point, and names such as "guest-count" in quotes';
const functions = ['sum', 'min', 'max', 'round', 'count'];

/** What is wrong with a formula; with the place, where it has one. */
interface FormulaMistake {
  readonly code: string;
  readonly message: string;
  readonly within?: Within | undefined;
}

type Within = Place & { readonly of: string };

class FormulaError extends Error {
  readonly mistake: FormulaMistake;

  constructor(mistake: FormulaMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

export function parseFormula(source: string): Result<ParsedFormula, FormulaMistake> {
  if (source.length > longest)
    return err({ code: 'formula_too_long', message: `a formula has at most ${longest} characters` });
  try {
    return ok(new Parser(source).parse());
  } catch (error) {
    if (error instanceof FormulaError) return err(error.mistake);
    throw error;
  }
}

/** The place in the text of a config; `undefined` at its end. */
export const placeIn = (source: string, { offset, length }: Place): Within | undefined =>
  offset < source.length ? { of: source, offset, length } : undefined;

interface Token extends Place {
  readonly text: string;
  readonly kind: 'number' | 'word' | 'quoted' | 'sign' | 'end';
}

/** A number, a name in quotes, a name or function, one of the signs; else the character that is none of these. */
const token =
  /(\d[\d.]*|\.\d[\d.]*)|("[^"]*"|'[^']*')|([A-Za-z_\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff][\w.\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff]*)|(\S)/g;

function tokensIn(source: string): Token[] {
  const tokens = [...source.matchAll(token)].map((match): Token => {
    const [text, number, quoted, word] = match;
    const kind = number ? 'number' : quoted ? 'quoted' : word ? 'word' : 'sign';
    return { text, kind, offset: match.index, length: text.length };
  });
  return [...tokens, { text: '', kind: 'end', offset: source.length, length: 1 }];
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #steps: Step[] = [];
  readonly #reads: Read[] = [];
  #at = 0;
  /** The value of a function that is being read, and how many there were. */
  #within = 0;
  #values = 0;
  #depth = 0;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokensIn(source);
  }

  parse(): ParsedFormula {
    this.#terms();
    if (this.#next.kind !== 'end') throw this.#mistake(this.#next, 'without_operator', withoutOperator);
    return { source: this.#source, steps: this.#steps, reads: this.#reads };
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    const taken = this.#next;
    this.#at += 1;
    return taken;
  }

  #mistake(place: Place, code: string, message: string): FormulaError {
    return new FormulaError({ code: `formula_${code}`, message, within: placeIn(this.#source, place) });
  }

  #terms(): void {
    this.#joined(['+', '-'], () => this.#joined(['*', '/'], () => this.#value()));
  }

  #joined(operators: readonly string[], part: () => void): void {
    part();
    while (this.#next.kind === 'sign' && operators.includes(this.#next.text)) {
      const { text } = this.#take();
      part();
      this.#steps.push(text);
    }
  }

  #value(): void {
    const taken = this.#take();
    const { kind, text } = taken;
    this.#depth += 1;
    if (this.#depth > deepest)
      throw this.#mistake(
        taken,
        'too_deep',
        'this is nested too deeply; use a computed field for a part of it',
      );
    if (kind === 'number') this.#steps.push(this.#number(taken));
    else if (kind === 'quoted') this.#field(text.slice(1, -1), taken);
    else if (kind === 'word') {
      if (this.#next.text === '(') this.#function(taken);
      else this.#field(text, taken);
    } else if (text === '(') {
      this.#terms();
      this.#close(taken);
    } else if (text === '-' || text === '+') {
      this.#value();
      if (text === '-') this.#steps.push('neg');
    } else if (text === '"' || text === "'")
      throw this.#mistake(taken, 'quote_never_closed', 'this quote is never closed');
    else
      throw this.#mistake(
        taken,
        'without_value',
        'expected a number, the name of a field or a parenthesis here',
      );
    this.#depth -= 1;
  }

  #number(taken: Token): string {
    const { text } = taken;
    if (typeof decimal(text) !== 'string') return text;
    throw this.#mistake(taken, 'number_malformed', `"${text}" is not a number`);
  }

  #field(name: string, { offset, length }: Token, within: Read['within'] = this.#within): void {
    const isKnown = this.#reads.some((read) => read.name === name && read.within === within);
    if (!isKnown) this.#reads.push({ name, within, offset, length });
    this.#steps.push([name]);
  }

  #function(word: Token): void {
    const { text: name } = word;
    if (!functions.includes(name)) {
      throw this.#mistake(
        word,
        'function_unknown',
        `"${name}" is not a function; expected sum, min, max, round or count${didYouMean(nearest(name.toLowerCase(), functions))}`,
      );
    }
    const open = this.#take();
    if (name === 'count') {
      const counted = this.#take();
      const { kind, text } = counted;
      if (kind !== 'word' && kind !== 'quoted')
        throw this.#mistake(
          counted,
          'count_of_what',
          'count takes the name of one field of type repeat, such as count(guests)',
        );
      // Each entry is a 1.
      this.#field(kind === 'quoted' ? text.slice(1, -1) : text, counted, 'count');
      this.#steps.push(['sum', 1]);
      this.#close(open);
      return;
    }
    const outer = this.#within;
    let count = 0;
    let separator: Token;
    do {
      if (name !== 'round') this.#within = ++this.#values;
      this.#terms();
      count += 1;
      separator = this.#next;
      if (name === 'round' || separator.text !== ',') break;
      this.#at += 1;
    } while (separator.text === ',');
    this.#within = outer;
    this.#steps.push(name === 'round' ? ['round', this.#digits()] : [name as 'sum' | 'min' | 'max', count]);
    this.#close(open);
  }

  /** The second value of `round`. */
  #digits(): number {
    if (this.#next.text !== ',') return 0;
    this.#at += 1;
    const digits = this.#take();
    if (/^\d\d?$/.test(digits.text) && Number(digits.text) <= mostDigits) return Number(digits.text);
    throw this.#mistake(
      digits,
      'digits',
      `the second value of round is a whole number from 0 to ${mostDigits}`,
    );
  }

  #close(open: Token): void {
    const taken = this.#take();
    if (taken.text === ')') return;
    throw taken.kind === 'end'
      ? this.#mistake(open, 'never_closed', 'this parenthesis is never closed')
      : this.#mistake(taken, 'without_operator', withoutOperator);
  }
}
