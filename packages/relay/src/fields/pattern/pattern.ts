import { isAmbiguous, type Positions, positionsOf } from './positions.ts';
import { boundsOf, parse } from './syntax.ts';

/** The built-in engine's steps are this much shorter than the automaton's. */
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

/** Computes on first use: a config may have thousands of patterns that nobody uses. */
function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** What may still be spent, in steps of some 10 ns. */
export interface Steps {
  left: number;
}

/** How far a value has been read: to any of these positions. */
interface State {
  readonly positions: readonly number[];
  readonly isEnd: boolean;
  readonly after: Map<Kind, State>;
}

/** Characters that the expression does not tell apart, as the symbols that all of them are. */
type Kind = ReadonlySet<number>;

/** How many steps it takes to look at something that was not seen before. */
const learning = 15;

/** What is remembered of values, for those to come. */
const mostRemembered = { characters: 1_000, positions: 50_000 };

/**
 * Matches in linear time: it reads each character once and follows all ways through the expression at once, where other
 * engines try one after the other. Which characters belong to a class is asked of the built-in engine, so that
 * everything means what it means there.
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
