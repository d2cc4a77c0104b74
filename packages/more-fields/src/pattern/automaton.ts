import type { Positions } from './positions.ts';

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

/** Follows all paths at once, so each character is read once. The built-in engine says which characters a class has. */
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
