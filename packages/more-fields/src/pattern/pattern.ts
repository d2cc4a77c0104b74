import { type Assertion, type Positions, parse, positionsOf } from './positions.ts';

/** The budget, in steps of about 20 ns. */
export interface Steps {
  left: number;
}

/** Some milliseconds of the event loop for all patterns of a submission. Honest values need a hundredth of it. */
export const mostSteps = 300_000;

/** A config's regular expression for a whole value, as in HTML: anchored, with the `v` flag. */
export class Pattern {
  readonly source: string;
  readonly #automaton: Automaton;

  constructor(source: string, expression: Positions) {
    this.source = source;
    this.#automaton = new Automaton(expression);
  }

  /** Counts a value as a match when the steps run out: no honest value is refused for want of time. */
  matches(value: string, steps: Steps): boolean {
    const { positions } = this.#automaton.read([...value], steps);
    return steps.left < 0 || positions.length > 0;
  }

  /** For conditions: whether it is known to match. A value that takes too long to match shows and requires nothing. */
  test(value: string): boolean {
    const steps = { left: mostSteps };
    return this.matches(value, steps) && steps.left >= 0;
  }
}

/** `invalid` if browsers would not accept it, `unbounded` if a match could take long. */
export function readPattern(source: string): Pattern | 'invalid' | 'unbounded' {
  try {
    // Unwrapped, as HTML requires: `a)|(b` is invalid, although valid in parentheses.
    new RegExp(source, 'v');
  } catch {
    return 'invalid';
  }
  const expression = positionsOf(parse(source));
  return expression ? new Pattern(source, expression) : 'unbounded';
}

/** The progress through a value: a set of possible positions. */
interface State {
  readonly positions: readonly number[];
  readonly after: Map<Kind, State>;
}

/** The symbols that a character matches, and that hold before it. */
type Kind = ReadonlySet<number>;

/** The cost of a state that was not seen before. */
const learning = 15;

/** Transitions cached for later values. */
const mostRemembered = { characters: 1_000, positions: 50_000 };

/** Follows all paths at once, so each character is read once. The built-in engine says which characters a class has. */
class Automaton {
  readonly #expression: Positions;
  readonly #assertions: readonly (Omit<Assertion, 'expression'> & {
    readonly symbol: number;
    readonly automaton: Automaton;
  })[];
  readonly #kindOf = new Map<string, Kind>();
  readonly #kinds = new Map<string, Kind>();
  readonly #states = new Map<string, State>();
  #positionsRemembered = 0;

  constructor(expression: Positions) {
    this.#expression = expression;
    this.#assertions = expression.symbols.flatMap((one, symbol) =>
      one instanceof RegExp ? [] : { ...one, symbol, automaton: new Automaton(one.expression) },
    );
  }

  /** Where the end of the text leads; nowhere unless it matches. Notes in `ends` whether it matches up to each place, too. */
  read(text: readonly string[], steps: Steps, ends?: boolean[]): State {
    const backwards = this.#assertions.length > 0 ? text.toReversed() : text;
    const assertions = this.#assertions.map(({ automaton, isBehind, isNegated }) => {
      const ends: boolean[] = [];
      automaton.read(isBehind ? text : backwards, steps, ends);
      return { ends: isBehind ? ends : ends.toReversed(), isNegated };
    });
    let state = this.#stateAt([0]);
    for (let place = 0; place <= text.length && steps.left >= 0; place++) {
      // A digit for each assertion, of whether it holds here.
      let held = '';
      for (const { ends, isNegated } of assertions) held += ends[place] === isNegated ? 0 : 1;
      ends?.push(this.#after(state, '', held, steps).positions.length > 0);
      state = this.#after(state, text[place] ?? '', held, steps);
      if (state.positions.length === 0) break;
    }
    return state;
  }

  #after(state: State, character: string, held: string, steps: Steps): State {
    steps.left -= 1 + held.length;
    const kind = this.#kindOf.get(held + character) ?? this.#learnKind(character, held, steps);
    return state.after.get(kind) ?? this.#learnState(state, kind, steps);
  }

  #learnKind(character: string, held: string, steps: Steps): Kind {
    const { symbols } = this.#expression;
    steps.left -= learning * symbols.length;
    if (this.#kindOf.size >= mostRemembered.characters) this.#forget();
    const its = [
      ...symbols.flatMap((symbol, index) =>
        symbol instanceof RegExp && symbol.test(character) ? index : [],
      ),
      ...this.#assertions.flatMap(({ symbol }, index) => (held[index] === '1' ? symbol : [])),
    ];
    const kind = this.#kinds.get(its.join()) ?? new Set(its);
    this.#kinds.set(its.join(), kind);
    this.#kindOf.set(held + character, kind);
    return kind;
  }

  #learnState(state: State, kind: Kind, steps: Steps): State {
    const { next, reads, symbols } = this.#expression;
    const reached = new Set<number>();
    const passed = new Set(state.positions);
    for (const position of passed) {
      const following = next[position] ?? [];
      steps.left -= learning * (following.length + 1);
      for (const one of following) {
        const symbol = reads[one] ?? -1;
        // An assertion that holds reads nothing: those after it read the character.
        if (kind.has(symbol)) (symbols[symbol] instanceof RegExp ? reached : passed).add(one);
      }
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
    const state: State = { positions, after: new Map() };
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
