import { isAmbiguous, type Positions, positionsOf } from './positions.ts';
import { boundsOf, parse } from './syntax.ts';

/** The built-in engine's steps are this much faster than the automaton's. */
const timesFaster = 10;
/** Leaves steps for the last of many values: the automaton needs the fewest per value. */
const keptForAutomaton = 50_000;

/** A backtracking engine needs seconds for a billion paths. */
const mostWays = 1e9;

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

  /**
   * Whether the whole value matches; `undefined` if the steps do not suffice. JavaScript's engine backtracks, possibly
   * for years, and blocks everything else: it runs only if it is known to need few steps.
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

/** The budget, in steps of about 10 ns. */
export interface Steps {
  left: number;
}

/** The progress through a value: a set of possible positions. */
interface State {
  readonly positions: readonly number[];
  readonly isEnd: boolean;
  readonly after: Map<Kind, State>;
}

/** Maps characters that the expression does not distinguish to one symbol. */
type Kind = ReadonlySet<number>;

/** The cost of a state that was not seen before. */
const learning = 15;

/** Transitions cached for later values. */
const mostRemembered = { characters: 1_000, positions: 50_000 };

/**
 * Matches in linear time: it reads each character once and follows all paths at once. Asks the built-in engine which
 * characters belong to a class, so that classes mean the same.
 */
export class Automaton {
  readonly #expression: Positions;
  readonly #kindOf = new Map<string, Kind>();
  readonly #kinds = new Map<string, Kind>();
  readonly #states = new Map<string, State>();
  #positionsRemembered = 0;

  constructor(expression: Positions) {
    this.#expression = expression;
  }

  matches(value: string, steps: Steps): boolean | undefined {
    let state = this.#stateAt([0]);
    for (const character of value) {
      steps.left -= 1;
      const kind = this.#kindOf.get(character) ?? this.#learnKind(character, steps);
      state = state.after.get(kind) ?? this.#learnState(state, kind, steps);
      if (steps.left < 0) return undefined;
      if (state.positions.length === 0) return false;
    }
    return state.isEnd;
  }

  #learnKind(character: string, steps: Steps): Kind {
    const { symbols } = this.#expression;
    steps.left -= learning * symbols.length;
    if (this.#kindOf.size >= mostRemembered.characters) this.#forget();
    const its = symbols.flatMap((symbol, index) => (symbol.test(character) ? index : []));
    const kind = this.#kinds.get(its.join()) ?? new Set(its);
    this.#kinds.set(its.join(), kind);
    this.#kindOf.set(character, kind);
    return kind;
  }

  #learnState(state: State, kind: Kind, steps: Steps): State {
    const { next, reads } = this.#expression;
    const reached = new Set<number>();
    for (const position of state.positions) {
      const following = next[position] ?? [];
      steps.left -= learning * (following.length + 1);
      for (const one of following) if (kind.has(reads[one] ?? -1)) reached.add(one);
    }
    const after = this.#stateAt([...reached].sort((a, b) => a - b));
    state.after.set(kind, after);
    return after;
  }

  #stateAt(positions: readonly number[]): State {
    const known = this.#states.get(positions.join());
    if (known) return known;
    this.#positionsRemembered += positions.length + 1;
    if (this.#positionsRemembered > mostRemembered.positions) this.#forget();
    const isEnd = positions.some((position) => this.#expression.ends.has(position));
    const state: State = { positions, isEnd, after: new Map() };
    this.#states.set(positions.join(), state);
    return state;
  }

  #forget(): void {
    this.#kindOf.clear();
    this.#kinds.clear();
    this.#states.clear();
    this.#positionsRemembered = 0;
  }
}
