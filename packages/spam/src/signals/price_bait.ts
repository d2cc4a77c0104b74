import { unspaced, wordsIn } from '../words.ts';
import { typedIn } from './own_words.ts';
import written from './price_words.json' with { type: 'json' };
import { signal } from './signal.ts';

/** Whoever wants to buy something says what. */
const mostWords = 10;
/** “Yours”, or “I wanted”: longer ends say of which thing. */
const mostWordsAfter = 2;
/** Scripts without spaces have a word for each letter. */
const mostCharacters = 80;
const mostHan = 14;

export const priceBait = signal({
  name: 'price_bait',
  summary:
    'A message that only says that somebody wanted to know “your price”, of nothing in particular, in any of eighty languages. Half in the form’s own language; all of it in another one. Next to nothing for “the price”.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const messages = typedIn(seen).filter(({ field }) => field.type === 'textarea');
    const [{ text = '', words = [] } = {}] = messages;
    if (messages.length !== 1 || !isShort(text, words) || /[\d?？؟]|:\/\//.test(text)) return undefined;
    const asked = languages().filter((one) => asksForPrice(one, text, words));
    if (asked.length === 0) return undefined;
    const isIn = (tag: string) => asked.some(({ language }) => new Intl.Locale(tag).language === language);
    const isUsual = asked.some(({ usual }) => usual.every((sought) => lastOf(sought, text, words) >= 0));
    // A form that does not name its language may have any.
    const strength = isUsual ? (seen.languages.length === 0 || seen.languages.some(isIn) ? 0.5 : 1) : 0.2;
    return { strength, why: 'asks for a price of nothing' };
  },
});

const isShort = (text: string, words: readonly string[]): boolean =>
  text.length <= mostCharacters &&
  !(text.length > mostHan && isHan.test(text)) &&
  (words.length <= mostWords || isUnspaced.test(text));

interface PriceWords {
  readonly language: string;
  /** “Price” and “know”: without one of these, nobody asks for a price. */
  readonly needed: readonly (readonly Word[])[];
  /** “Your”, and in large languages “wanted”: customers ask for “the price”, and say that they would like to know it. */
  readonly usual: readonly (readonly Word[])[];
}

interface Word {
  readonly start: string;
  readonly isWhole: boolean;
}

const read = (words: string): readonly Word[] =>
  words.split(' ').map((word) => ({ start: wordsIn(word).join(''), isWhole: !word.endsWith('*') }));

let known: readonly PriceWords[] | undefined;

function languages(): readonly PriceWords[] {
  known ??= Object.entries(written).map(([language, words]) => {
    const sought = words.map(read);
    return { language, needed: sought.slice(0, 2), usual: sought.slice(2) };
  });
  return known;
}

/** Words of related languages are alike, so several may fit. */
function asksForPrice({ needed }: PriceWords, text: string, words: readonly string[]): boolean {
  const places = needed.map((sought) => lastOf(sought, text, words));
  const isOfNothing = isUnspaced.test(text) || words.length - Math.max(...places) <= mostWordsAfter + 1;
  return Math.min(...places) >= 0 && isOfNothing;
}

/** Where the last of these words stands in a text; -1 if none does. */
function lastOf(sought: readonly Word[], text: string, words: readonly string[]): number {
  const isSpaced = !isUnspaced.test(text);
  const whole = words.join('');
  const placeOf = ({ start, isWhole }: Word) => {
    if (!isSpaced) return whole.indexOf(start);
    return isWhole ? words.lastIndexOf(start) : words.findLastIndex((word) => word.startsWith(start));
  };
  return Math.max(...sought.map(placeOf));
}

const isHan = /^[\p{Script=Han}\p{P}\s]+$/u;
const isUnspaced = new RegExp(`[${unspaced}]`, 'u');
