import { unspaced, wordsIn } from '../words.ts';
import { type Typed, typedIn } from './own_words.ts';
import priceWords from './price_words.json' with { type: 'json' };
import { type Seen, signal } from './signal.ts';

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
    'A message that only says that somebody wanted to know “your price”, of nothing in particular, in any of eighty languages. Half in the form’s own language; all of it in another one, or after a line in English about the price. Next to nothing for “the price”.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const texts = typedIn(seen).filter(
      ({ field, asksFor }) => asksFor === 'anything' && field.type !== 'tel',
    );
    const parts = texts.flatMap(withoutClause);
    if (!parts.every(isShort)) return undefined;
    const asking = parts.filter(({ field }) => texts.length === 1 || field.type === 'textarea');
    // Programs write of the price in the subject, too; people say there what they want.
    if (asking.length !== 1 || !parts.every(namesPrice)) return undefined;
    const [{ text = '', words = [] } = {}] = asking;
    if (/[\d?？؟]|:\/\//.test(text)) return undefined;
    const asked = askingsIn(text, words);
    if (asked.length === 0) return undefined;
    return { strength: strengthOf(asked, texts, seen), why: 'asks for a price of nothing' };
  },
});

function strengthOf(asked: readonly Asking[], texts: readonly Typed[], { languages }: Seen): number {
  const isIn = (tag: string) => asked.some(({ language }) => new Intl.Locale(tag).language === language);
  if (!isIn('en') && texts.some(({ text }) => clause.test(text))) return 1;
  if (!asked.some(({ isComplete }) => isComplete)) return 0.2;
  // A form that does not name its language may have any, and most are in English.
  if (languages.length === 0) return isIn('en') ? 0.5 : 0.75;
  return languages.some(isIn) ? 0.5 : 1;
}

/** “Hallo, writing about your price for reseller”, which programs write before it. */
const clause = /^[^\n]{0,40}?\babout\b[^\n]{0,30}?\bprices?\b(?: +for +\w+)?[\s.,:;!–-]*/i;

function withoutClause(typed: Typed): readonly Typed[] {
  const [said] = clause.exec(typed.text) ?? [];
  if (said === undefined) return [typed];
  const text = typed.text.slice(said.length);
  return text === '' ? [typed] : [{ ...typed, text, words: typed.words.slice(wordsIn(said).length) }];
}

const isShort = ({ text, words }: Typed): boolean =>
  text.length <= mostCharacters &&
  !(text.length > mostHan && isHan.test(text)) &&
  (words.length <= mostWords || isUnspaced.test(text));

interface PriceWords {
  readonly language: string;
  /** Without one of these, nobody asks for a price. */
  readonly needed: readonly (readonly Word[])[];
  /** “Your”, and in large languages “wanted”: customers ask for “the price”, and say that they would like to know it. */
  readonly usual: readonly (readonly Word[])[];
}

interface Asking {
  readonly language: string;
  /** It has all of the usual words. */
  readonly isComplete: boolean;
}

interface Word {
  readonly start: string;
  readonly isWhole: boolean;
}

let known: readonly PriceWords[] | undefined;

const read = (words: string): readonly Word[] =>
  words.split(' ').map((word) => ({ start: wordsIn(word).join(''), isWhole: !word.endsWith('*') }));

const priceWordsByLanguage = (): readonly PriceWords[] => {
  known ??= Object.entries(priceWords).map(([language, words]) => ({
    language,
    needed: words.slice(0, 2).map(read),
    usual: words.slice(2).map(read),
  }));
  return known;
};

/** Where the last of these words stands in a text; -1 if none does. */
function lastOf(sought: readonly Word[], text: string, words: readonly string[]): number {
  const isSpaced = !isUnspaced.test(text);
  const whole = words.join('');
  const placeOf = ({ start, isWhole }: Word) => {
    if (!isSpaced) return Math.min(whole.indexOf(start), words.length - 1);
    return isWhole ? words.lastIndexOf(start) : words.findLastIndex((word) => word.startsWith(start));
  };
  return Math.max(...sought.map(placeOf));
}

const namesPrice = ({ text, words }: Typed): boolean =>
  priceWordsByLanguage().some(({ needed: [price = []] }) => lastOf(price, text, words) >= 0);

/** Words of related languages are alike, so several may fit. */
const askingsIn = (text: string, words: readonly string[]): readonly Asking[] =>
  priceWordsByLanguage().flatMap(({ language, needed, usual }) => {
    const places = needed.map((sought) => lastOf(sought, text, words));
    const isOfNothing = isUnspaced.test(text) || words.length - Math.max(...places) <= mostWordsAfter + 1;
    if (Math.min(...places) < 0 || !isOfNothing) return [];
    return { language, isComplete: usual.every((sought) => lastOf(sought, text, words) >= 0) };
  });

const han = 'Script=Han';
const isHan = new RegExp(`^[\\p{${han}}\\p{P}\\s]+$`, 'u');
const isUnspaced = new RegExp(`[${unspaced}]`, 'u');
