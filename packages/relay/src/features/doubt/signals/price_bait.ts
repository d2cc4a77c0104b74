import { unspaced } from '../../../schema/lists/words.ts';
import { typedIn } from './own_words.ts';
import priceWords from './price_words.json' with { type: 'json' };
import { type Seen, signal } from './signal.ts';
import { wordsIn } from './words.ts';

/** Whoever wants to buy something says what. */
const mostWords = 10;
/** Scripts without spaces have a word for each letter. */
const mostCharacters = 80;

export const priceBait = signal({
  name: 'price_bait',
  summary:
    'A message that only says that somebody wanted to know “your price”, of nothing in particular, in any of eighty languages. All of it in a language that few visitors speak, three quarters in a large one, half in the form’s own.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const texts = typedIn(seen).filter(({ asksFor }) => asksFor === 'anything');
    if (texts.length !== 1) return undefined;
    const [{ text = '', words = [] } = {}] = texts;
    const isShort = text.length <= mostCharacters && (words.length <= mostWords || isUnspaced.test(text));
    if (!isShort || /[\d?？؟]|:\/\//.test(text)) return undefined;
    const asked = languagesOfAsking(text, words);
    if (asked.length === 0) return undefined;
    const isOwn = seen.languages.length === 0 || asked.some((language) => speaks(seen, language));
    const isLarge = asked.some((language) => large.has(language));
    return { strength: isOwn ? 0.5 : isLarge ? 0.75 : 1, why: 'asks for a price of nothing' };
  },
});

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

/** Words of related languages are alike, so several may fit. */
function languagesOfAsking(text: string, words: readonly string[]): readonly string[] {
  known ??= Object.entries(priceWords).map(([language, [price = '', know = '']]) => ({
    language,
    price: read(price),
    know: read(know),
  }));
  const isSpaced = !isUnspaced.test(text);
  const whole = words.join('');
  const has = ({ start, isWhole }: Word) =>
    isSpaced
      ? words.some((word) => (isWhole ? word === start : word.startsWith(start)))
      : whole.includes(start);
  return known.filter(({ price, know }) => price.some(has) && know.some(has)).map(({ language }) => language);
}

const isUnspaced = new RegExp(`[${unspaced}]`, 'u');
