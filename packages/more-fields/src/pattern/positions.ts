import type { Node } from './syntax.ts';

/** Positions that read a character each, and those that may follow (Glushkov's construction). The start, 0, reads nothing. */
export interface Positions {
  readonly symbols: readonly RegExp[];
  readonly reads: readonly number[];
  /** The positions that may follow. A position reachable in two ways is listed twice. */
  readonly next: readonly (readonly number[])[];
  readonly ends: ReadonlySet<number>;
}

/** Honest patterns have far fewer. */
const mostPositions = 2_000;
const mostLinks = 10_000;

/** `undefined` for an expression that depends on more than the next character, or is too large. */
export function positionsOf(tree: Node): Positions | undefined {
  const draft: Draft = { symbols: new Map(), reads: [-1], next: [[]], links: 0, isPossible: true };
  const { first, last, canBeEmpty } = bordersOf(withoutAnchors(tree), draft);
  link([0], first, draft);
  if (!draft.isPossible) return undefined;
  return {
    symbols: [...draft.symbols.keys()].map((source) => new RegExp(`^(?:${source})$`, 'v')),
    reads: draft.reads,
    next: draft.next,
    ends: new Set(canBeEmpty ? [0, ...last] : last),
  };
}

interface Draft {
  readonly symbols: Map<string, number>;
  readonly reads: number[];
  readonly next: number[][];
  links: number;
  isPossible: boolean;
}

/** The possible first and last positions of a part. */
interface Borders {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const nothing: Borders = { first: [], last: [], canBeEmpty: true };

function bordersOf(node: Node, draft: Draft): Borders {
  if (draft.reads.length > mostPositions) draft.isPossible = false;
  if (!draft.isPossible) return nothing;
  switch (node.kind) {
    case 'character':
      return character(node.source, draft);
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
    default:
      draft.isPossible = false;
      return nothing;
  }
}

function character(source: string, { symbols, reads, next }: Draft): Borders {
  const symbol = symbols.get(source) ?? symbols.size;
  symbols.set(source, symbol);
  const position = reads.push(symbol) - 1;
  next.push([]);
  return { first: [position], last: [position], canBeEmpty: false };
}

/** Copies for each repetition in sequence; without an upper limit, the last one loops. */
function repetition({ part, least, most }: Extract<Node, { kind: 'repeat' }>, draft: Draft): Borders {
  const copies: Borders[] = [];
  const wanted = most === Infinity ? Math.max(least, 1) : most;
  while (draft.isPossible && copies.length < wanted) {
    const copy = bordersOf(part, draft);
    link(copies.at(-1)?.last ?? [], copy.first, draft);
    copies.push(copy);
  }
  const [{ first, canBeEmpty } = nothing] = copies;
  const final = copies.at(-1) ?? nothing;
  if (most === Infinity) link(final.last, final.first, draft);
  // Texts that need fewer copies use the first ones.
  const enough = canBeEmpty ? copies : copies.slice(Math.max(least, 1) - 1);
  return { first, last: enough.flatMap(({ last }) => last), canBeEmpty: canBeEmpty || least === 0 };
}

function link(from: readonly number[], to: readonly number[], draft: Draft): void {
  draft.links += from.length * to.length;
  if (draft.links > mostLinks) draft.isPossible = false;
  if (draft.isPossible) for (const position of from) draft.next[position]?.push(...to);
}

/** The whole value must match anyway, so a leading `^` and a trailing `$` add nothing. */
function withoutAnchors(tree: Node): Node {
  if (tree.kind !== 'choice' && tree.kind !== 'sequence') return tree;
  const { kind, parts } = tree;
  if (kind === 'choice') return { kind, parts: parts.map(withoutAnchors) };
  const from = parts[0]?.kind === 'start' ? 1 : 0;
  return { kind, parts: parts.slice(from, parts.at(-1)?.kind === 'end' ? -1 : undefined) };
}

/** Beyond this the search takes too long, and the answer is yes. */
const mostSteps = 200_000;

/**
 * Whether a backtracking engine may take exponential time: some text leads from a position back to it in two ways, so
 * each repetition of the text doubles the paths. Uses sample characters, so it may miss classes that differ in a rare
 * character only.
 */
export function isAmbiguous(expression: Positions): boolean {
  const { reads, next } = expression;
  const together = symbolsTogether(expression);
  let steps = 0;
  return reads.some((_, start) => {
    /** Two walks that read the same text, and whether they diverged. */
    const seen = new Set([keyOf(start, start, false)]);
    for (const key of seen) {
      const [one = 0, other = 0, parted = 0] = key.split(' ').map(Number);
      for (const [i, a] of (next[one] ?? []).entries()) {
        for (const [j, b] of (next[other] ?? []).entries()) {
          steps += 1;
          if (steps > mostSteps) return true;
          if (!together.has(`${reads[a]} ${reads[b]}`)) continue;
          const haveParted = parted === 1 || i !== j;
          if (haveParted && a === start && b === start) return true;
          seen.add(keyOf(a, b, haveParted));
        }
      }
    }
    return false;
  });
}

const keyOf = (one: number, other: number, haveParted: boolean) => `${one} ${other} ${haveParted ? 1 : 0}`;

function symbolsTogether({ symbols }: Positions): ReadonlySet<string> {
  const literals = symbols.map(({ source }) => source.slice('^(?:'.length, -')$'.length));
  const characters = new Set([...samples(), ...literals.filter((literal) => [...literal].length === 1)]);
  return new Set(
    [...characters].flatMap((character) => {
      const its = symbols.flatMap((symbol, index) => (symbol.test(character) ? index : []));
      return its.flatMap((a) => its.map((b) => `${a} ${b}`));
    }),
  );
}

/** All of Latin-1, and one of each other kind: letters of other scripts, a mark, digits, spaces, signs, a symbol. */
const samples = () => [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  ...'ĀſΣдשش中あ한\u0301٣๓Ⅷ\u2003\u2028\u200b\u200d–’€☺\u{1F600}\u{1D400}\ufffd',
];
