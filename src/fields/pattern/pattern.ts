import { Automaton, type Steps } from './automaton.ts';
import { type Node, parse } from './syntax.ts';

/** A millisecond's worth: what the patterns of one submission may take of the loop, all together (D63). */
export const stepsOnLoop = (): Steps => ({ left: 100_000 });

/** The built-in engine's steps are so much shorter than the automaton's. */
const timesFaster = 10;
/** Of many values, those that come late still find something left: the automaton needs the least for each. */
const keptForAutomaton = 50_000;

/** The config's regular expression for a whole value, with HTML's meaning: anchored, with the `v` flag. */
export class Pattern {
  readonly source: string;
  readonly #regex: RegExp;
  // Made when they are first needed: a config may have thousands.
  #tree: Node | undefined;
  #bounds: Bounds | undefined;
  #automaton: Automaton | undefined | null = null;

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
    const { times, degree } = this.#bound().steps;
    const needed = (times * (value.length + 1) ** degree) / timesFaster;
    const isLittle = needed <= steps.left - keptForAutomaton;
    if (isLittle || (needed <= steps.left && !this.#linear())) {
      steps.left -= needed;
      return this.#regex.test(value);
    }
    return this.#linear()?.matches(value, steps);
  }

  /** Whether the browser's engine, or any that tries one way after the other, can take exponential time. */
  canTakeExponentialTime(): boolean {
    return this.#bound().ways.times === Infinity && (this.#linear()?.isAmbiguous() ?? true);
  }

  #parsed(): Node {
    this.#tree ??= parse(this.source);
    return this.#tree;
  }

  #bound(): Bounds {
    this.#bounds ??= boundsOf(this.#parsed());
    return this.#bounds;
  }

  #linear(): Automaton | undefined {
    if (this.#automaton === null) this.#automaton = Automaton.of(this.#parsed());
    return this.#automaton;
  }
}

/** At most `times * (n + 1) ** degree`, for a value of n characters. */
interface Bound {
  readonly times: number;
  readonly degree: number;
}

interface Bounds {
  /** In how many ways a part can be gone through, from one place in the value. */
  readonly ways: Bound;
  /** How many steps it takes to try them all. */
  readonly steps: Bound;
}

const one: Bound = { times: 1, degree: 0 };
const endless: Bound = { times: Infinity, degree: 0 };

const product = (a: Bound, b: Bound): Bound => ({ times: a.times * b.times, degree: a.degree + b.degree });
const sum = (a: Bound, b: Bound): Bound => ({
  times: a.times + b.times,
  degree: Math.max(a.degree, b.degree),
});

function boundsOf(node: Node): Bounds {
  switch (node.kind) {
    case 'character':
    case 'start':
    case 'end':
    case 'boundary':
      return { ways: one, steps: one };
    // It may be as long as the value.
    case 'reference':
      return { ways: one, steps: { times: 1, degree: 1 } };
    case 'unknown':
      return { ways: endless, steps: endless };
    // Once it holds, no other way through it is tried.
    case 'look':
      return { ways: one, steps: sum(one, boundsOf(node.part).steps) };
    case 'sequence':
      return node.parts.map(boundsOf).reduce(
        (before, part) => ({
          ways: product(before.ways, part.ways),
          steps: sum(before.steps, product(before.ways, part.steps)),
        }),
        { ways: one, steps: one },
      );
    case 'choice':
      return node.parts
        .map(boundsOf)
        .reduce((a, b) => ({ ways: sum(a.ways, b.ways), steps: sum(a.steps, b.steps) }));
    case 'repeat':
      return repeated(boundsOf(node.part), node.least, node.most);
  }
}

function repeated({ ways, steps }: Bounds, least: number, most: number): Bounds {
  if (most < Infinity) {
    const power = { times: ways.times ** most, degree: ways.degree * most };
    return {
      ways: product(power, { times: most - least + 1, degree: 0 }),
      steps: sum(one, product(product(power, steps), { times: most, degree: 0 })),
    };
  }
  // Choices inside endless repetition: the exponential kind, most likely.
  if (ways.times > 1 || ways.degree > 0) return { ways: endless, steps: endless };
  // It may end after each character, and then in one way.
  const endings = { times: 1, degree: 1 };
  return {
    ways: endings,
    steps: product(endings, sum(one, product(steps, { times: least + 1, degree: 0 }))),
  };
}
