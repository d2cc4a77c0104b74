import { Automaton, type Steps } from './automaton.ts';
import { isAmbiguous, positionsOf } from './positions.ts';
import { boundsOf, parse } from './syntax.ts';

export { Automaton };

/** The built-in engine's steps are this much faster than the automaton's. */
const timesFaster = 10;
/** Leaves steps for the last of many values: the automaton needs the fewest per value. */
const keptForAutomaton = 50_000;

/** A backtracking engine needs seconds for a billion paths. */
const mostWays = 1e9;

/** About a millisecond of the event loop for all patterns of a submission. */
export const stepsOnLoop = (): Steps => ({ left: 100_000 });

/** `undefined` if browsers would not accept it. */
export function readPattern(source: string): Pattern | undefined {
  try {
    return new Pattern(source);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A config's regular expression for a whole value, as in HTML: anchored, with the `v` flag. */
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

  /** Throws a `SyntaxError` if browsers would not accept it. */
  constructor(source: string) {
    this.source = source;
    // First unwrapped, as HTML requires: `a)|(b` is invalid, although valid in parentheses.
    new RegExp(source, 'v');
    this.#regex = new RegExp(`^(?:${source})$`, 'v');
  }

  /** `undefined` if the steps do not suffice. JavaScript's engine may backtrack for years: it runs where it needs few steps. */
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

  /** Whether a backtracking engine, such as a browser's, may take exponential time. */
  canTakeExponentialTime(): boolean {
    const { times } = this.#bounds().steps;
    if (times < mostWays) return false;
    const positions = this.#positions();
    // Counted repetition, as in `(a{0,60}){0,60}`, is finite but practically endless.
    return !positions || (times === Infinity && isAmbiguous(positions));
  }

  /** Whether neither engine is sure to decide about it in time, so that only a thread can. */
  needsThread(): boolean {
    return this.#bounds().steps.times >= mostWays && !this.#positions();
  }
}

/** Computed on first use: most patterns of a large config are never used. */
function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
