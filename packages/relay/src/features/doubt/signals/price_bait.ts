import { unspaced } from '../../../schema/lists/words.ts';
import { type Typed, typedIn } from './own_words.ts';
import priceWords from './price_words.json' with { type: 'json' };
import { type Seen, signal } from './signal.ts';
import { wordsIn } from './words.ts';

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
    'A message that only says that somebody wanted to know “your price”, of nothing in particular, in any of eighty languages. All of it in a language that few visitors speak, three quarters in a large one, half in the form’s own.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const texts = typedIn(seen).filter(
      ({ field, asksFor }) => asksFor === 'anything' && field.type !== 'tel',
    );
    if (!texts.every(isShort)) return undefined;
    const asking = texts.filter(({ field }) => texts.length === 1 || field.type === 'textarea');
    // Programs write of the price in the subject, too; people say there what they want.
    if (asking.length !== 1 || !texts.every(namesPrice)) return undefined;
    const [{ text = '', words = [] } = {}] = asking;
    if (/[\d?？؟]|:\/\//.test(text)) return undefined;
    const asked = languagesOfAsking(text, words);
    if (asked.length === 0) return undefined;
    const isOwn = seen.languages.length === 0 || asked.some((language) => speaks(seen, language));
    const isLarge = asked.some((language) => large.has(language));
    return { strength: isOwn ? 0.5 : isLarge ? 0.75 : 1, why: 'asks for a price of nothing' };
  },
});

const isShort = ({ text, words }: Typed): boolean =>
  text.length <= mostCharacters &&
  !(text.length > mostHan && isHan.test(text)) &&
  (words.length <= mostWords || isUnspaced.test(text));

/** A customer from elsewhere may well write in one of these. */
const large = new Set('ar de en es fr it ja nl pl pt ru tr uk zh'.split(' '));

const speaks = ({ languages }: Seen, language: string) =>
  languages.some((tag) => new Intl.Locale(tag).language === language);

interface Asking {
  readonly language: string;
  readonly price: readonly Word[];
  readonly know: readonly Word[];
}

interface Word {
  readonly start: string;
  readonly isWhole: boolean;
}

let known: readonly Asking[] | undefined;

const read = (words: string): readonly Word[] =>
  words.split(' ').map((word) => ({ start: wordsIn(word).join(''), isWhole: !word.endsWith('*') }));

const askings = (): readonly Asking[] => {
  known ??= Object.entries(priceWords).map(([language, [price = '', know = '']]) => ({
    language,
    price: read(price),
    know: read(know),
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
  askings().some(({ price }) => lastOf(price, text, words) >= 0);

/** Words of related languages are alike, so several may fit. */
const languagesOfAsking = (text: string, words: readonly string[]): readonly string[] =>
  askings()
    .filter(({ price, know }) => {
      const places = [lastOf(price, text, words), lastOf(know, text, words)];
      const isOfNothing = isUnspaced.test(text) || words.length - Math.max(...places) <= mostWordsAfter + 1;
      return Math.min(...places) >= 0 && isOfNothing;
    })
    .map(({ language }) => language);

const han = 'Script=Han';
const isHan = new RegExp(`^[\\p{${han}}\\p{P}\\s]+$`, 'u');
const isUnspaced = new RegExp(`[${unspaced}]`, 'u');
