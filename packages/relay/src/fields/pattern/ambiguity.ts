import type { Positions } from './positions.ts';

/** More takes too long, and then the answer is yes. */
const mostSteps = 200_000;

/**
 * Whether an engine that tries one way after the other can take exponential time: some text leads from a position back to
 * it in two ways, so that each repetition of the text doubles them. Looks at sample characters, so it may miss a class
 * that differs from another by a rare one.
 */
export function isAmbiguous(expression: Positions): boolean {
  const { reads, next } = expression;
  const together = symbolsTogether(expression);
  let steps = 0;
  return reads.some((_, start) => {
    /** Two walks from the position on that read the same text: where they are, and whether they have parted. */
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

/** Pairs of symbols that have a sample character in common. */
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
