/** A regular expression as browsers parse it (with the `v` flag). */
export type Node =
  /** Matches one character: a literal, an escape, a class or a dot. */
  | { readonly kind: 'character'; readonly source: string }
  | Look
  /** A back reference, a class that matches strings of several lengths, such as `\p{RGI_Emoji}`, or newer syntax. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

/** Lookaround, to which anchors and word boundaries are reduced. */
export interface Look {
  readonly kind: 'look';
  readonly part: Node;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

const escaped =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)/su;
const group = /\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?/u;
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/u;
const tokens = new RegExp([escaped, group, quantifier, /./su].map(({ source }) => source).join('|'), 'gsu');

const textsOfSeveralLengths = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_)/;

/** The alternatives of an open group; the last one is still being parsed. */
interface Open {
  readonly opening: string;
  readonly choices: Node[][];
}

/** Deeper than any real pattern. Limits the recursion of functions that walk the tree. */
const deepest = 200;

/** Parses an expression that `RegExp` accepts; an unsupported part becomes `unknown`. */
export function parse(source: string): Node {
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
    else current.push(assertions[token] ?? (/^\\[k1-9]/.test(token) ? unknown : character(token)));
    if (open.length > deepest) return unknown;
  }
  return closed(open[0]);
}

const unknown: Node = { kind: 'unknown' };

const character = (source: string): Node =>
  textsOfSeveralLengths.test(source) ? unknown : { kind: 'character', source };

const choice = (...parts: readonly Node[]): Node => ({ kind: 'choice', parts });
export const sequence = (...parts: readonly Node[]): Node => ({ kind: 'sequence', parts });

const look = (part: Node, isBehind: boolean, isNegated: boolean): Node => ({
  kind: 'look',
  part,
  isBehind,
  isNegated,
});

const anything = character('[\\s\\S]');
export const anyText: Node = { kind: 'repeat', part: anything, least: 0, most: Infinity };
/** Matches only at the end of a value, where no other class matches. */
const endOfText = character('');

const word = character('\\w');
const [afterWord, notAfterWord] = [look(word, true, false), look(word, true, true)];
const [beforeWord, notBeforeWord] = [look(word, false, false), look(word, false, true)];

const assertions: Readonly<Record<string, Node>> = {
  '^': look(anything, true, true),
  $: look(anything, false, true),
  '\\b': choice(sequence(afterWord, notBeforeWord), sequence(notAfterWord, beforeWord)),
  '\\B': choice(sequence(afterWord, beforeWord), sequence(notAfterWord, notBeforeWord)),
};

function closed({ opening, choices }: Open = { opening: '', choices: [] }): Node {
  const parts = choices.map((parts) => sequence(...parts));
  const [only] = parts;
  const part = parts.length === 1 && only ? only : choice(...parts);
  const [, behind, sign] = /^\(\?(<?)([=!])/.exec(opening) ?? [];
  if (sign) return look(part, behind === '<', sign === '!');
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

/** Matches the same texts, read backwards. */
export function reversed(node: Node): Node {
  if (node.kind === 'choice') return choice(...node.parts.map(reversed));
  if (node.kind === 'sequence') return sequence(...node.parts.map(reversed).toReversed());
  if (node.kind === 'look') return look(reversed(node.part), !node.isBehind, node.isNegated);
  return node.kind === 'repeat' ? { ...node, part: reversed(node.part) } : node;
}

/**
 * Positions that each read a symbol, and the positions that may follow (Glushkov's construction). The start,
 * 0, reads nothing; the last one reads the end of the text.
 */
export interface Positions {
  readonly symbols: readonly (RegExp | Assertion)[];
  readonly reads: readonly number[];
  readonly next: readonly (readonly number[])[];
}

/** Holds if its expression matches the text read so far, or if not `isBehind`, the remaining text, read backwards. */
export interface Assertion {
  readonly expression: Positions;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

/** Normal patterns have far fewer. */
const mostLinks = 50_000;
/** No value is longer, so more repetitions count as unlimited. */
const longestValue = 10_000;

/** `undefined` if the expression is too large or has an `unknown` part. */
export function positionsOf(tree: Node, size: Size = { left: mostLinks }): Positions | undefined {
  const draft: Draft = { known: new Map(), symbols: [], reads: [-1], next: [[]], size };
  link([0], bordersOf(sequence(tree, endOfText), draft).first, draft);
  return size.left < 0 ? undefined : draft;
}

/** How many more links an expression with its assertions may have. Below 0, the expression is too large. */
interface Size {
  left: number;
}

interface Draft extends Positions {
  readonly known: Map<string | Look, number>;
  readonly symbols: (RegExp | Assertion)[];
  readonly reads: number[];
  readonly next: number[][];
  readonly size: Size;
}

/** The possible first and last positions of a part. */
interface Borders {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const nothing: Borders = { first: [], last: [], canBeEmpty: true };

function bordersOf(node: Node, draft: Draft): Borders {
  if (draft.size.left < 0) return nothing;
  switch (node.kind) {
    case 'character':
      return position(node.source, () => new RegExp(`^(?:${node.source})$`, 'v'), draft);
    case 'look':
      return position(node, () => assertion(node, draft.size), draft);
    case 'sequence':
      return node.parts.reduce((before: Borders, node) => {
        const part = bordersOf(node, draft);
        link(before.last, part.first, draft);
        return {
          first: before.canBeEmpty ? [...before.first, ...part.first] : before.first,
          last: part.canBeEmpty ? [...before.last, ...part.last] : part.last,
          canBeEmpty: before.canBeEmpty && part.canBeEmpty,
        };
      }, nothing);
    case 'choice': {
      const parts = node.parts.map((part) => bordersOf(part, draft));
      return {
        first: parts.flatMap(({ first }) => first),
        last: parts.flatMap(({ last }) => last),
        canBeEmpty: parts.some(({ canBeEmpty }) => canBeEmpty),
      };
    }
    case 'repeat':
      return repetition(node, draft);
    case 'unknown':
      draft.size.left = -1;
      return nothing;
  }
}

function position(key: string | Look, make: () => RegExp | Assertion, draft: Draft): Borders {
  const { known, symbols, reads, next } = draft;
  const symbol = known.get(key) ?? symbols.push(make()) - 1;
  known.set(key, symbol);
  const position = reads.push(symbol) - 1;
  next.push([]);
  return { first: [position], last: [position], canBeEmpty: false };
}

function assertion({ part, isBehind, isNegated }: Look, size: Size): Assertion {
  const expression = positionsOf(sequence(anyText, isBehind ? part : reversed(part)), size);
  return { expression: expression ?? { symbols: [], reads: [], next: [] }, isBehind, isNegated };
}

/** A copy per repetition, in sequence. Without an upper limit, the last copy loops. */
function repetition({ part, least, most }: Extract<Node, { kind: 'repeat' }>, draft: Draft): Borders {
  const copies: Borders[] = [];
  const isEndless = most > longestValue;
  const wanted = isEndless ? Math.max(least, 1) : most;
  while (draft.size.left >= 0 && copies.length < wanted) {
    const copy = bordersOf(part, draft);
    link(copies.at(-1)?.last ?? [], copy.first, draft);
    copies.push(copy);
  }
  const [{ first, canBeEmpty } = nothing] = copies;
  const final = copies.at(-1) ?? nothing;
  if (isEndless) link(final.last, final.first, draft);
  // Texts with fewer repetitions end after an earlier copy.
  const enough = canBeEmpty ? copies : copies.slice(Math.max(least, 1) - 1);
  return { first, last: enough.flatMap(({ last }) => last), canBeEmpty: canBeEmpty || least === 0 };
}

function link(from: readonly number[], to: readonly number[], { next, size }: Draft): void {
  size.left -= 1 + from.length * to.length;
  if (size.left >= 0) for (const position of from) next[position]?.push(...to);
}
