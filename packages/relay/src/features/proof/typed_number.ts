/**
 * The four digits that somebody typed, as ASCII ones; `undefined` of anything else. Keyboards of some languages have
 * digits of their own (Unicode's Nd in Arabic, Persian, Hindi and full width), and people put spaces between.
 */
export function typedNumber(text: string): string | undefined {
  if (text.length > mostCharacters) return undefined;
  let digits = '';
  for (const character of text) {
    const code = character.charCodeAt(0);
    const zero = zeros.find((first) => code >= first && code <= first + 9);
    if (zero !== undefined) digits += code - zero;
    else if (!isBetween.test(character)) return undefined;
  }
  return digits.length === 4 ? digits : undefined;
}

/** A solution is much longer. */
const mostCharacters = 20;

const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

/** Spaces, marks of direction that came along with a copy, and what groups thousands. */
const isBetween = /[\s\u200e\u200f\u2066-\u2069.,'’٬]/;
