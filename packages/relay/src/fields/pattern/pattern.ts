import { isAmbiguous } from './ambiguity.ts';
import { Automaton, type Steps } from './automaton.ts';
import { positionsOf } from './positions.ts';
import { parse } from './syntax.ts';
import { boundsOf } from './time_bounds.ts';

/** A millisecond's worth: what the patterns of one submission may take of the loop, all together (D63). */
export const stepsOnLoop = (): Steps => ({ left: 100_000 });

/** The built-in engine's steps are so much shorter than the automaton's. */
const timesFaster = 10;
/** So that the last of many values still have steps left: the automaton needs the fewest for each. */
const keptForAutomaton = 50_000;

/** An engine that tries a billion ways takes seconds. */
const mostWays = 1e9;

/** The config's regular expression for a whole value, with HTML's meaning: anchored, with the `v` flag. */
export class Pattern {
  readonly source: string;
  readonly #regex: RegExp;
  readonly #tree = whenNeeded(() => parse(this.source));
  readonly #bounds = whenNeeded(() => boundsOf(this.#tree()));
  readonly #positions = whenNeeded(() => positionsOf(this.#tree()));
  readonly #automaton = whenNeeded(() => {
    const positions = this.#positions();
    return positions && new Automaton(positions);
  });

  /** Throws a `SyntaxError` when browsers would not accept it. */
  constructor(source: string) {
    this.source = source;
    // By itself first, as HTML says: `a)|(b` is none, though it is one between brackets.
    new RegExp(source, 'v');
    this.#regex = new RegExp(`^(?:${source})$`, 'v');
  }

  /**
   * Whether it matches the whole value; `undefined` when the steps do not suffice to tell. JavaScript's engine tries one
   * way after the other, for years if an expression and a value are unlucky, and nothing else runs meanwhile: so it is
   * asked only where it is known to need few steps.
   */
  test(value: string, steps: Steps): boolean | undefined {
    const { times, degree } = this.#bounds().steps;
    const needed = (times * (value.length + 1) ** degree) / timesFaster;
    const isLittle = needed <= steps.left - keptForAutomaton;
    if (isLittle || (needed <= steps.left && !this.#automaton())) {
      steps.left -= needed;
      return this.#regex.test(value);
    }
    return this.#automaton()?.matches(value, steps);
  }

  /** Whether the browser's engine, or any that tries one way after the other, can take exponential time. */
  canTakeExponentialTime(): boolean {
    const { times } = this.#bounds().steps;
    if (times < mostWays) return false;
    const positions = this.#positions();
    // Counted repetition, as in `(a{0,60}){0,60}`, has an end; nobody lives to see it.
    return !positions || (times === Infinity && isAmbiguous(positions));
  }
}

/** Makes it once, and not for each of the thousands of patterns that a config may have and nobody uses. */
function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
