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
  readonly code: string;
  readonly within: Within | undefined;

  constructor(code: string, message: string, within: Within | undefined) {
    super(message);
    this.code = `formula_${code}`;
    this.within = within;
  }
}

export function parseFormula(source: string): Result<ParsedFormula, FormulaMistake> {
  if (source.length > longest)
    return err({ code: 'formula_too_long', message: `a formula has at most ${longest} characters` });
  try {
    return ok(parse(source));
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    const { code, message, within } = error;
    return err({ code, message, within });
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

function parse(source: string): ParsedFormula {
  const steps: Step[] = [];
  const reads: Read[] = [];
  const tokens = tokensIn(source).values();
  const following = () => tokens.next().value as Token;
  let next = following();
  let depth = 0;
  /** The value of a function that is being read, and how many there were. */
  let within = 0;
  let values = 0;

  const fail = (place: Place, code: string, message: string): never => {
    throw new FormulaError(code, message, placeIn(source, place));
  };
  const take = (): Token => {
    const taken = next;
    if (taken.kind !== 'end') next = following();
    return taken;
  };
  const joined = (operators: readonly string[], part: () => void) => {
    part();
    while (next.kind === 'sign' && operators.includes(next.text)) {
      const { text } = take();
      part();
      steps.push(text);
    }
  };
  const terms = () => joined(['+', '-'], () => joined(['*', '/'], value));

  function value(): void {
    const taken = take();
    const { kind, text } = taken;
    depth += 1;
    if (depth > deepest)
      fail(taken, 'too_deep', 'this is nested too deeply; use a computed field for a part of it');
    if (kind === 'number') {
      if (typeof decimal(text) === 'string') fail(taken, 'number_malformed', `"${text}" is not a number`);
      steps.push(text);
    } else if (kind === 'word' && next.text === '(') called(taken);
    else if (kind === 'word' || kind === 'quoted') read(taken, within);
    else if (text === '(') {
      terms();
      close(taken);
    } else if (text === '-' || text === '+') {
      value();
      if (text === '-') steps.push('neg');
    } else if (text === '"' || text === "'") fail(taken, 'quote_never_closed', 'this quote is never closed');
    else fail(taken, 'without_value', 'expected a number, the name of a field or a parenthesis here');
    depth -= 1;
  }

  function read({ kind, text, offset, length }: Token, within: Read['within']): void {
    const name = kind === 'quoted' ? text.slice(1, -1) : text;
    const isKnown = reads.some((one) => one.name === name && one.within === within);
    if (!isKnown) reads.push({ name, within, offset, length });
    steps.push([name]);
  }

  function called(word: Token): void {
    const { text: name } = word;
    const near = didYouMean(nearest(name.toLowerCase(), functions));
    const unknown = `"${name}" is not a function; expected sum, min, max, round or count${near}`;
    if (!functions.includes(name)) fail(word, 'function_unknown', unknown);
    const open = take();
    if (name === 'count') count();
    else if (name === 'round') {
      terms();
      steps.push(['round', digits()]);
    } else several(name as 'sum' | 'min' | 'max');
    close(open);
  }

  function count(): void {
    const counted = take();
    if (counted.kind !== 'word' && counted.kind !== 'quoted')
      fail(
        counted,
        'count_of_what',
        'count takes the name of one field of type repeat, such as count(guests)',
      );
    // Each entry is a 1.
    read(counted, 'count');
    steps.push(['sum', 1]);
  }

  /** The second value of `round`. */
  function digits(): number {
    if (next.text !== ',') return 0;
    take();
    const found = take();
    const message = `the second value of round is a whole number from 0 to ${mostDigits}`;
    if (!/^\d\d?$/.test(found.text) || Number(found.text) > mostDigits) fail(found, 'digits', message);
    return Number(found.text);
  }

  function several(name: 'sum' | 'min' | 'max'): void {
    const outer = within;
    for (let amount = 1; ; amount += 1) {
      values += 1;
      within = values;
      terms();
      if (next.text !== ',') {
        within = outer;
        steps.push([name, amount]);
        return;
      }
      take();
    }
  }

  function close(open: Token): void {
    const taken = take();
    if (taken.kind === 'end') fail(open, 'never_closed', 'this parenthesis is never closed');
    if (taken.text !== ')') fail(taken, 'without_operator', withoutOperator);
  }

  terms();
  if (next.kind !== 'end') fail(next, 'without_operator', withoutOperator);
  return { source, steps, reads };
}
