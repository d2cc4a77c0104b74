/** `pattern`: a regular expression that the whole value must match, in linear time. */

import { withoutLinks } from '@form-relay/base/html';
import { withLineFeeds } from '@form-relay/base/values';
import { fieldExtension } from '@form-relay/core/extensions';
import type { Plugin, Submission } from '@form-relay/core/index';
import { textParam } from '@form-relay/core/messages/message';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { type Assertion, type Positions, parse, positionsOf } from './positions.ts';

const types = ['text', 'email', 'url', 'tel', 'textarea'];

const problems = {
  invalid: 'this is not a regular expression that browsers accept (HTML uses the v flag)',
  unbounded:
    'back references such as \\1, sets of strings such as \\q{ab|c}, flags such as (?i:a) and very large counts are not supported, because some values could take years to match; list the allowed values instead',
};

const keys = {
  pattern: optional(
    'Regular expression for the whole value, as in HTML (with the `v` flag), without back references. Avoid nested repetition such as `(a+)+`, which can be very slow.',
    textSchema<Pattern>(
      (source, at) => {
        const pattern = readPattern(source);
        return typeof pattern === 'string' ? at.error(problems[pattern]) : pattern;
      },
      { title: 'regular expression', type: ['string', 'number', 'boolean'] },
    ),
  ),
};

/** The remaining steps for the patterns of each submission. */
const budgets = new WeakMap<Submission, Steps>();

function budgetOf(submission: Submission): Steps {
  const steps = budgets.get(submission) ?? { left: mostSteps };
  budgets.set(submission, steps);
  return steps;
}

const pattern = fieldExtension({
  name: 'pattern',
  types,
  keys,
  configure: (field) => {
    const { pattern, help, type } = field;
    if (!pattern) return undefined;
    const mismatch = help
      ? { code: 'wrong_format_described', params: { help: textParam(help, withoutLinks) } }
      : { code: 'wrong_format' };
    return {
      check: (values, submission) => {
        const steps = budgetOf(submission);
        const wrong = values.findIndex((value) => !pattern.matches(withLineFeeds(value), steps));
        if (steps.left < 0) submission.log('warn', 'pattern_too_slow', { field: field.name });
        return wrong < 0 ? undefined : { ...mismatch, at: wrong };
      },
      // HTML has no pattern for multi-line text.
      ...(type !== 'textarea' && {
        attributes: ({ text }) => ({
          pattern: pattern.source,
          // Browsers show the title if the pattern does not match.
          title: help && withoutLinks(text(help)),
        }),
      }),
    };
  },
});

/** Conditions that also load this plug-in. */
export const uses = ['condition matches'];

export const plugin = (): Plugin => ({
  name: 'pattern',
  fieldExtensions: [pattern],
  messages: {
    en: {
      wrong_format: 'Enter a value in the expected format.',
      wrong_format_described: 'Use the expected format: {help}',
    },
  },
});

/** The budget, in steps of about 20 ns. */
interface Steps {
  left: number;
}

/**
 * The limit for all patterns of a submission, which takes some milliseconds of the event loop. Normal values
 * need a hundredth of it.
 */
export const mostSteps = 300_000;

/** A config's regular expression for a whole value, as in HTML: anchored, with the `v` flag. */
class Pattern {
  readonly source: string;
  readonly #automaton: Automaton;

  constructor(source: string, expression: Positions) {
    this.source = source;
    this.#automaton = new Automaton(expression);
  }

  /** If the steps run out, counts the value as a match, so that a slow match never rejects a normal value. */
  matches(value: string, steps: Steps): boolean {
    const { positions } = this.#automaton.read([...value], steps);
    return steps.left < 0 || positions.length > 0;
  }

  /**
   * For conditions: whether the value certainly matches. If a match takes too long, the condition does not
   * hold, so nothing is shown or required.
   */
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

/** The state of a match: a set of possible positions. */
interface State {
  readonly positions: readonly number[];
  readonly after: Map<Kind, State>;
}

/** The symbols that match a character, and the assertions that hold before it. */
type Kind = ReadonlySet<number>;

/** The cost of a new state. */
const learning = 15;

/** Transitions cached for later values. */
const mostRemembered = { characters: 1_000, positions: 50_000 };

/** Follows all paths at once, so each character is read once. The built-in engine decides whether a character is in a class. */
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

  /**
   * The state at the end of the text, which has positions only if the text matches. If `ends` is given, also
   * records for each place whether the text matches up to there.
   */
  read(text: readonly string[], steps: Steps, ends?: boolean[]): State {
    const backwards = this.#assertions.length > 0 ? text.toReversed() : text;
    const assertions = this.#assertions.map(({ automaton, isBehind, isNegated }) => {
      const ends: boolean[] = [];
      automaton.read(isBehind ? text : backwards, steps, ends);
      return { ends: isBehind ? ends : ends.toReversed(), isNegated };
    });
    let state = this.#stateAt([0]);
    for (let place = 0; place <= text.length && steps.left >= 0; place++) {
      // Has a digit per assertion: whether it holds here.
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
        // An assertion that holds consumes nothing, so the positions after it read the same character.
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
