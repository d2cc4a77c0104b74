import type { Node } from './syntax.ts';

/** What may still be spent, in steps of some 10 ns. */
export interface Steps {
  left: number;
}

/** What a part of an expression begins and ends with, as places where it reads a character. */
interface Borders {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const nothing: Borders = { first: [], last: [], canBeEmpty: true };

/** Where the reading of a value stands: at all the places that may have read its last character. */
interface State {
  readonly places: readonly number[];
  readonly isEnd: boolean;
  readonly after: Map<Kind, State>;
}

/** Characters that the expression cannot tell apart: those that the same of its classes have. */
type Kind = ReadonlySet<number>;

const mostPlaces = 2_000;
const mostLinks = 10_000;
/** What is remembered of the values seen: so many characters, and so many places in states. */
const mostRemembered = { characters: 1_000, places: 50_000 };

/**
 * Matches in linear time: it follows all ways through the expression at once and never goes back (Glushkov's
 * construction, determinised as values come). Which characters belong to a class, the built-in engine says, so that
 * everything means what it means there.
 */
export class Automaton {
  /** The distinct characters and classes of the expression. */
  readonly #symbols: readonly RegExp[];
  /** Which of them is read at a place. Place 0 is the start, and reads nothing. */
  readonly #reads: readonly number[];
  /** Where the next character may be read. What can be reached in two ways stands here twice. */
  readonly #next: readonly (readonly number[])[];
  readonly #ends: ReadonlySet<number>;

  #kindOf = new Map<string, Kind>();
  #kinds = new Map<string, Kind>();
  #states = new Map<string, State>();
  #placesRemembered = 0;

  /** `undefined` when the expression asks for more than the next character, or is too large. */
  static of(tree: Node): Automaton | undefined {
    const symbols = new Map<string, number>();
    const reads = [-1];
    const next: number[][] = [[]];
    let links = 0;
    let isPossible = true;
    const link = (from: readonly number[], to: readonly number[]) => {
      links += from.length * to.length;
      isPossible &&= links <= mostLinks;
      if (isPossible) for (const place of from) next[place]?.push(...to);
    };
    const bordersOf = (node: Node): Borders => {
      isPossible &&= reads.length <= mostPlaces;
      if (!isPossible) return nothing;
      switch (node.kind) {
        case 'character': {
          const symbol = symbols.get(node.source) ?? symbols.size;
          symbols.set(node.source, symbol);
          const place = reads.push(symbol) - 1;
          next.push([]);
          return { first: [place], last: [place], canBeEmpty: false };
        }
        case 'sequence':
          return node.parts.reduce((before: Borders, part) => {
            const { first, last, canBeEmpty } = bordersOf(part);
            link(before.last, first);
            return {
              first: before.canBeEmpty ? [...before.first, ...first] : before.first,
              last: canBeEmpty ? [...before.last, ...last] : last,
              canBeEmpty: before.canBeEmpty && canBeEmpty,
            };
          }, nothing);
        case 'choice': {
          const parts = node.parts.map(bordersOf);
          return {
            first: parts.flatMap(({ first }) => first),
            last: parts.flatMap(({ last }) => last),
            canBeEmpty: parts.some(({ canBeEmpty }) => canBeEmpty),
          };
        }
        case 'repeat':
          return repetition(node);
        default:
          isPossible = false;
          return nothing;
      }
    };
    /** A copy for each time, one after the other; the last one leads back to itself where there is no end. */
    const repetition = ({ part, least, most }: Extract<Node, { kind: 'repeat' }>): Borders => {
      const copies: Borders[] = [];
      const wanted = most === Infinity ? Math.max(least, 1) : most;
      while (isPossible && copies.length < wanted) {
        const copy = bordersOf(part);
        link(copies.at(-1)?.last ?? [], copy.first);
        copies.push(copy);
      }
      const [{ first, canBeEmpty } = nothing] = copies;
      const final = copies.at(-1) ?? nothing;
      if (most === Infinity) link(final.last, final.first);
      // A word that takes fewer copies than there are takes the first ones.
      const enough = canBeEmpty ? copies : copies.slice(Math.max(least, 1) - 1);
      return { first, last: enough.flatMap(({ last }) => last), canBeEmpty: canBeEmpty || least === 0 };
    };
    const { first, last, canBeEmpty } = bordersOf(withoutAnchors(tree));
    link([0], first);
    if (!isPossible) return undefined;
    const ends = new Set(canBeEmpty ? [0, ...last] : last);
    const regexes = [...symbols.keys()].map((source) => new RegExp(`^(?:${source})$`, 'v'));
    return new Automaton(regexes, reads, next, ends);
  }

  private constructor(
    symbols: readonly RegExp[],
    reads: readonly number[],
    next: readonly (readonly number[])[],
    ends: ReadonlySet<number>,
  ) {
    this.#symbols = symbols;
    this.#reads = reads;
    this.#next = next;
    this.#ends = ends;
  }

  /** Whether the expression matches the whole value; `undefined` when the steps do not suffice to tell. */
  matches(value: string, steps: Steps): boolean | undefined {
    let state = this.#stateAt([0]);
    for (const character of value) {
      steps.left -= 1;
      const kind = this.#kindOf.get(character) ?? this.#learnKind(character, steps);
      state = state.after.get(kind) ?? this.#learnState(state, kind, steps);
      if (steps.left < 0) return undefined;
      if (state.places.length === 0) return false;
    }
    return state.isEnd;
  }

  #learnKind(character: string, steps: Steps): Kind {
    steps.left -= 5 * this.#symbols.length;
    if (this.#kindOf.size >= mostRemembered.characters) this.#forget();
    const symbols = this.#symbols.flatMap((symbol, index) => (symbol.test(character) ? index : []));
    const kind = this.#kinds.get(symbols.join()) ?? new Set(symbols);
    this.#kinds.set(symbols.join(), kind);
    this.#kindOf.set(character, kind);
    return kind;
  }

  #learnState(state: State, kind: Kind, steps: Steps): State {
    const places = new Set<number>();
    for (const place of state.places) {
      const next = this.#next[place] ?? [];
      steps.left -= 5 * (next.length + 1);
      for (const to of next) if (kind.has(this.#reads[to] ?? 0)) places.add(to);
    }
    const after = this.#stateAt([...places].sort((a, b) => a - b));
    state.after.set(kind, after);
    return after;
  }

  #stateAt(places: readonly number[]): State {
    const key = places.join();
    const known = this.#states.get(key);
    if (known) return known;
    this.#placesRemembered += places.length + 1;
    if (this.#placesRemembered > mostRemembered.places) this.#forget();
    const state: State = { places, isEnd: places.some((place) => this.#ends.has(place)), after: new Map() };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    this.#kindOf.clear();
    this.#kinds.clear();
    this.#states.clear();
    this.#placesRemembered = 0;
  }

  /**
   * Whether an engine that tries one way after the other can take exponential time: some text leads from a place back
   * to it in two ways, so that each repetition of the text doubles them. Looks at sample characters, so it may miss a
   * rare one.
   */
  isAmbiguous(): boolean {
    const together = this.#symbolsTogether();
    const count = this.#reads.length;
    const steps = { left: mostStepsToJudge };
    return this.#reads.some((_, place) => {
      // Two walks that read the same text, from the place on; `count ** 2` marks that they have parted.
      const start = place * count + place;
      const seen = new Set([start]);
      for (const pair of seen) {
        const hasParted = pair >= count ** 2;
        const [one, other] = [Math.floor((pair % count ** 2) / count), pair % count];
        for (const [i, a] of (this.#next[one] ?? []).entries()) {
          for (const [j, b] of (this.#next[other] ?? []).entries()) {
            if (steps.left-- < 0) return true;
            if (!together.has(`${this.#reads[a]} ${this.#reads[b]}`)) continue;
            const parted = hasParted || i !== j;
            if (parted && a === place && b === place) return true;
            seen.add(a * count + b + (parted ? count ** 2 : 0));
          }
        }
      }
      return false;
    });
  }

  /** Pairs of symbols that have a sample character in common. */
  #symbolsTogether(): ReadonlySet<string> {
    const literals = this.#symbols.map(({ source }) => source.slice('^(?:'.length, -')$'.length));
    const characters = new Set([...samples(), ...literals.filter((literal) => [...literal].length === 1)]);
    return new Set(
      [...characters].flatMap((character) => {
        const kind = [...this.#learnKind(character, { left: 0 })];
        return kind.flatMap((a) => kind.map((b) => `${a} ${b}`));
      }),
    );
  }
}

const mostStepsToJudge = 200_000;

/** All of Latin-1, and one of each other kind: letters of other scripts, a mark, digits, spaces, signs, a symbol. */
const samples = () => [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  ...'ĀſΣдשش中あ한\u0301٣๓Ⅷ\u2003\u2028\u200b\u200d–’€☺\u{1F600}\u{1D400}\ufffd',
];

/** `^` before everything and `$` after it say nothing new: the whole value must match anyway. */
function withoutAnchors(tree: Node): Node {
  if (tree.kind !== 'choice' && tree.kind !== 'sequence') return tree;
  const { kind, parts } = tree;
  if (kind === 'choice') return { kind, parts: parts.map(withoutAnchors) };
  const from = parts[0]?.kind === 'start' ? 1 : 0;
  return { kind, parts: parts.slice(from, parts.at(-1)?.kind === 'end' ? -1 : undefined) };
}
