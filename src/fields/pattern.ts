import vm from 'node:vm';

/** What the patterns of one submission may use, all together (D43). */
export interface PatternBudget {
  /** Steps of backtracking that may still be taken without a watch over them. */
  steps: number;
  /** What is left for watched ones, in milliseconds. */
  leftMs(): number;
  /** Whether a pattern was given up undecided. */
  isSpent: boolean;
}

/** Some milliseconds' worth of steps. */
const unwatchedSteps = 10_000_000;

/** A thousand times what an honest value takes: other processes may have the core meanwhile. */
const watchedMs = 250;

/** Without a clock, each watched match may take that long. */
export function patternBudget(now = () => 0): PatternBudget {
  const startedAt = now();
  return { steps: unwatchedSteps, leftMs: () => watchedMs - (now() - startedAt), isSpent: false };
}

/** For values that are worth no wait: what needs a watch counts as no match. */
export const unwatchedBudget = (): PatternBudget => ({ ...patternBudget(), leftMs: () => 0 });

/** The config's regular expression for a whole value, with HTML's meaning: anchored, with the `v` flag. */
export class Pattern {
  readonly source: string;
  readonly #regex: RegExp;
  readonly #choices: Choices;

  /** Throws a `SyntaxError` when browsers would not accept it. */
  constructor(source: string) {
    this.source = source;
    this.#regex = new RegExp(`^(?:${source})$`, 'v');
    this.#choices = choicesIn(source);
  }

  /**
   * JavaScript's engine backtracks, for years if an expression and a value are unlucky. What provably takes few steps
   * runs as it is; anything else under a watch, and counts as no match when it is not through in time (D43).
   */
  matches(value: string, budget: PatternBudget): boolean {
    const steps = this.#choices.times * (value.length + 1) ** (this.#choices.degree + 1);
    if (steps <= budget.steps) {
      budget.steps -= steps;
      return this.#regex.test(value);
    }
    const leftMs = Math.floor(budget.leftMs());
    const matches = leftMs > 0 ? testWatched(this.#regex, value, leftMs) : undefined;
    if (matches === undefined) budget.isSpent = true;
    return matches ?? false;
  }
}

/** A value of n characters can be matched, or not, in at most `times * (n + 1) ** degree` ways. */
interface Choices {
  readonly times: number;
  readonly degree: number;
}

/** A class may stand for texts of several lengths; nobody counts those here. */
const classOfTexts = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_)/;

const tokens =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gs;

/** The product of an expression's choices, between alternatives and between numbers of repetitions. */
function choicesIn(source: string): Choices {
  if (classOfTexts.test(source)) return { times: Infinity, degree: 0 };
  /** The choices in the expression and in each group that is open, part by part. */
  const open: Choices[][] = [[]];
  let classDepth = 0;
  for (const [token] of source.matchAll(tokens)) {
    const parts = open.at(-1) ?? [];
    if (token === '[') classDepth += 1;
    else if (token === ']') classDepth -= 1;
    if (classDepth > 0) continue;
    if (token === '|') parts.push({ times: 2, degree: 0 });
    else if (token.startsWith('(')) open.push([]);
    else if (token === ')') open.at(-2)?.push(product(open.pop() ?? []));
    else if (/^[*+?{]/.test(token)) parts.push(repeated(parts.pop() ?? none, token));
    else parts.push(none);
  }
  return product(open[0] ?? []);
}

const none: Choices = { times: 1, degree: 0 };

const product = (parts: readonly Choices[]): Choices =>
  parts.reduce((a, b) => ({ times: a.times * b.times, degree: a.degree + b.degree }), none);

function repeated(part: Choices, quantifier: string): Choices {
  const { least, most } = bounds(quantifier);
  if (most < Infinity) {
    return { times: part.times ** most * (most - least + 1), degree: part.degree * most };
  }
  // Choices inside endless repetition: the exponential kind.
  const isChoice = part.times > 1 || part.degree > 0;
  return isChoice ? { times: Infinity, degree: 0 } : { times: 1, degree: 1 };
}

function bounds(quantifier: string): { least: number; most: number } {
  if (quantifier.startsWith('?')) return { least: 0, most: 1 };
  const [, least = '', comma, most] = /^\{(\d+)(,)?(\d*)/.exec(quantifier) ?? [];
  if (least === '' || (comma && !most)) return { least: 0, most: Infinity };
  return { least: Number(least), most: Number(most || least) };
}

let script: vm.Script | undefined;
const context: { pattern?: RegExp; value?: string } = {};

/** `undefined` when it is not through in time. A watch takes 0.05 to 0.1 ms to set up. */
function testWatched(pattern: RegExp, value: string, timeout: number): boolean | undefined {
  if (!script) {
    script = new vm.Script('pattern.test(value)');
    vm.createContext(context);
  }
  Object.assign(context, { pattern, value });
  try {
    return script.runInContext(context, { timeout }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
