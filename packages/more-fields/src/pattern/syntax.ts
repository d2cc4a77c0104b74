/** A regular expression as browsers parse it (with the `v` flag), as far as its running time depends on it. */
export type Node =
  /** Reads one character: a literal, an escape, a class or a dot. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'reference' }
  /** A class of strings of several lengths, such as `\p{RGI_Emoji}`, or newer syntax. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'look'; readonly part: Node }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

const escaped =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)/su;
const group = /\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?/u;
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/u;
const tokens = new RegExp([escaped, group, quantifier, /./su].map(({ source }) => source).join('|'), 'gsu');

const textsOfSeveralLengths = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_)/;

/** The parts of a group by alternative; the last alternative is being read. */
interface Open {
  readonly opening: string;
  readonly choices: Node[][];
}

/** More than anybody writes; limits the recursion of functions that walk the tree. */
const deepest = 200;
const longest = 10_000;

/** Parses an expression that `RegExp` accepts; an unsupported part becomes `unknown`. */
export function parse(source: string): Node {
  if (source.length > longest) return unknown;
  const open: Open[] = [{ opening: '(', choices: [[]] }];
  let classDepth = 0;
  let classStart = 0;
  for (const { 0: token, index } of source.matchAll(tokens)) {
    const current = open.at(-1)?.choices.at(-1) ?? [];
    if (token === '[' && classDepth++ === 0) classStart = index;
    if (token === ']' && --classDepth === 0) current.push(character(source.slice(classStart, index + 1)));
    if (classDepth > 0 || token === ']') continue;
    if (token === '|') open.at(-1)?.choices.push([]);
    else if (token === ')') open.at(-2)?.choices.at(-1)?.push(closed(open.pop()));
    else if (token.startsWith('(')) open.push({ opening: token, choices: [[]] });
    else if (/^[*+?{]/.test(token)) current.push(repeated(current.pop(), token));
    else current.push(single(token));
    if (open.length > deepest) return unknown;
  }
  return closed(open[0]);
}

const unknown: Node = { kind: 'unknown' };

const character = (source: string): Node =>
  textsOfSeveralLengths.test(source) ? unknown : { kind: 'character', source };

function single(token: string): Node {
  if (token === '^') return { kind: 'start' };
  if (token === '$') return { kind: 'end' };
  if (/^\\b$/i.test(token)) return { kind: 'boundary' };
  return /^\\[k1-9]/.test(token) ? { kind: 'reference' } : character(token);
}

function closed({ opening, choices }: Open = { opening: '', choices: [] }): Node {
  const parts = choices.map((sequence): Node => ({ kind: 'sequence', parts: sequence }));
  const [only] = parts;
  const part: Node = parts.length === 1 && only ? only : { kind: 'choice', parts };
  if (/^\(\?<?[=!]/.test(opening)) return { kind: 'look', part };
  return opening === '(' || opening === '(?:' || opening.startsWith('(?<') ? part : unknown;
}

function repeated(part: Node = unknown, token: string): Node {
  const [, counted, comma, last] = /^\{(\d+)(,?)(\d*)/.exec(token) ?? [];
  if (counted !== undefined) {
    const least = Number(counted);
    return { kind: 'repeat', part, least, most: last ? Number(last) : comma ? Infinity : least };
  }
  return {
    kind: 'repeat',
    part,
    least: token.startsWith('+') ? 1 : 0,
    most: token.startsWith('?') ? 1 : Infinity,
  };
}

/** At most `times * (n + 1) ** degree` for a value of n characters. */
interface Bound {
  readonly times: number;
  readonly degree: number;
}

export interface Bounds {
  /** The number of paths through a part from one position of the value. */
  readonly ways: Bound;
  readonly steps: Bound;
}

const one: Bound = { times: 1, degree: 0 };
const endless: Bound = { times: Infinity, degree: 0 };

const product = (a: Bound, b: Bound): Bound => ({ times: a.times * b.times, degree: a.degree + b.degree });
const sum = (a: Bound, b: Bound): Bound => ({
  times: a.times + b.times,
  degree: Math.max(a.degree, b.degree),
});

export function boundsOf(node: Node): Bounds {
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
      return repeatedBounds(boundsOf(node.part), node.least, node.most);
  }
}

function repeatedBounds({ ways, steps }: Bounds, least: number, most: number): Bounds {
  if (most < Infinity) {
    const power = { times: ways.times ** most, degree: ways.degree * most };
    return {
      ways: product(power, { times: most - least + 1, degree: 0 }),
      steps: sum(one, product(product(power, steps), { times: most, degree: 0 })),
    };
  }
  // Alternatives within endless repetition, which are probably exponential.
  if (ways.times > 1 || ways.degree > 0) return { ways: endless, steps: endless };
  // It may end after each character, in one way.
  const endings = { times: 1, degree: 1 };
  return {
    ways: endings,
    steps: product(endings, sum(one, product(steps, { times: least + 1, degree: 0 }))),
  };
}
