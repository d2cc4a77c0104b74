import { anyText, endOfText, type Look, type Node, reversed, sequence } from './syntax.ts';

/**
 * Positions that read a symbol each, and those that may follow (Glushkov's construction). The start, 0, reads nothing; the
 * last one reads the end of the text.
 */
export interface Positions {
  readonly symbols: readonly (RegExp | Assertion)[];
  readonly reads: readonly number[];
  readonly next: readonly (readonly number[])[];
}

/** Holds where its expression matches what was read so far, or if not `isBehind`, what follows, from its end. */
export interface Assertion {
  readonly expression: Positions;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

/** Honest patterns have far fewer. */
const mostLinks = 50_000;
/** No value is longer, so more repetitions are as good as endless. */
const longestValue = 10_000;

/** `undefined` for an expression that is too large or has an `unknown` part. */
export function positionsOf(tree: Node, size: Size = { left: mostLinks }): Positions | undefined {
  const draft: Draft = { known: new Map(), symbols: [], reads: [-1], next: [[]], size };
  link([0], bordersOf(sequence(tree, endOfText), draft).first, draft);
  return size.left < 0 ? undefined : draft;
}

/** The links that an expression with its assertions may still have: fewer than 0 once it cannot be had. */
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

/** Copies for each repetition in sequence; without an upper limit, the last one loops. */
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
  // Texts that need fewer copies use the first ones.
  const enough = canBeEmpty ? copies : copies.slice(Math.max(least, 1) - 1);
  return { first, last: enough.flatMap(({ last }) => last), canBeEmpty: canBeEmpty || least === 0 };
}

function link(from: readonly number[], to: readonly number[], { next, size }: Draft): void {
  size.left -= 1 + from.length * to.length;
  if (size.left >= 0) for (const position of from) next[position]?.push(...to);
}
