import { withoutLinks, wordsIn } from '../words.ts';
import { hostsOf, leadsElsewhere } from './hosts.ts';
import { asks, speaksOfOneself, speaksOnlyOfYours, typedIn, wordsOf } from './own_words.ts';
import { phrasesIn, phrasesOf, unlessComplained } from './phrases/index.ts';
import { cutsPrices, namesCoins, promisesMoney, promisesRiches, sellsByThousands } from './promises.ts';
import { type SignalInput, signal } from './signal.ts';

/** Customers and victims use these words, too: they are not enough by themselves. */
const mostOfHints = 0.45;

const mostWordsOfTip = 16;

/** Somebody who tells what happened to them writes more. */
const mostWordsOfLure = 40;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, sex, medicine without prescription, lists of addresses and threats, in fifteen languages. Three of them are all of it; one is two thirds, if little else is said and a link leads away; half, if victims, patients and heirs write so, too. Advertisements to consumers, by a call such as “order now”, a price and goods: four phrases of all three are three quarters.',
  weight: 6,
  score: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = (phrases.get('scam') ?? 0) + countTexts(seen, sellsByThousands);
    const hints = phrases.get('hint') ?? 0;
    const lures = (phrases.get('lure') ?? 0) + countTexts(seen, promisesMoney) + (isTip(seen) ? 1 : 0);
    const teases = (phrases.get('tease') ?? 0) + countTexts(seen, namesCoins);
    // A lure is nothing without the hook.
    const isHooked =
      (scams + lures > 0 || (teases > 1 && speaksOnlyOfYours(seen) && !phrases.has('customer'))) &&
      leadsAway(seen);
    const [sure, unsure] = isHooked ? [scams + lures + 1 + teases / 2, hints] : [scams, hints + lures / 2];
    const count = scams + hints + lures + (isHooked ? teases : 0);
    const scammed = Math.min(1, sure / 3 + Math.min(mostOfHints, unsure / 3));
    const advertised = advertises(seen);
    const score = Math.max(scammed, advertised) * unlessComplained(seen);
    if (score === 0) return undefined;
    const why =
      advertised > scammed
        ? 'words of an advertisement'
        : `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams`;
    return { score, why };
  },
});

/** 1 if this holds for a text that names a number. */
const countTexts = (seen: SignalInput, isSo: (text: string) => boolean): number =>
  typedIn(seen).some(({ text }) => /\d|mill|млн/i.test(text) && isSo(text)) ? 1 : 0;

/** A few words about riches that speak of no writer: “Everyone can earn as much as he wants now. https://…” */
const isTip = (seen: SignalInput): boolean =>
  wordsOf(seen).length <= mostWordsOfTip &&
  !speaksOfOneself(seen) &&
  typedIn(seen).some(({ text }) => promisesRiches(text));

/** A few words without a question, or more in which nobody speaks of themselves; and the way to somewhere else. */
function leadsAway(seen: SignalInput): boolean {
  const { length } = wordsOf(seen);
  return (
    leadsElsewhere(seen) &&
    ((length <= mostWordsOfLure && !asks(seen)) || (length <= mostWords && !speaksOfOneself(seen)))
  );
}

// Advertisements to consumers, as shops and money schemes write them: a call, a price and goods.

/** Newsletters, which people forward, are longer. */
const mostWords = 150;

/** How many different phrases it takes to be sure, of all three parts, or of a call and one other. A link is one more. */
const leastOfAll = 4;
const leastOfTwo = 6;

const unsure = 0.25;
const sure = 0.75;

/** How much a text is an advertisement. Without a call, or in words of a customer, it is none: customers name prices and goods. */
function advertises(seen: SignalInput): number {
  const phrases = phrasesOf(seen);
  if (!phrases.has('call') || phrases.has('customer') || wordsOf(seen).length > mostWords) return 0;
  const calls = callsIn(seen);
  if (calls === 0) return 0;
  const prices = (phrases.get('deal') ?? 0) + countTexts(seen, cutsPrices);
  const goods = (phrases.get('ware') ?? phrases.get('lure') ?? 0) + countTexts(seen, promisesMoney);
  if (prices + goods === 0) return 0;
  const least = prices > 0 && goods > 0 ? leastOfAll : leastOfTwo;
  const links = hostsOf(seen).all.size > 0 ? 1 : 0;
  return calls + prices + goods + links >= least ? sure : unsure;
}

const sentenceEnd = /(?<=[.!?？؟。！\n])/;
const endsAsQuestion = /[?？؟]$/;

/** Calls in questions are none: “Kaufen Sie auch alte Uhren?” */
function callsIn(seen: SignalInput): number {
  if (!asks(seen)) return phrasesOf(seen).get('call') ?? 0;
  const texts = typedIn(seen)
    .filter(({ asksFor }) => asksFor !== 'name')
    .flatMap(({ text }) => withoutLinks(text).split(sentenceEnd))
    .filter((sentence) => !endsAsQuestion.test(sentence));
  return phrasesIn(wordsIn(texts.join(' '))).get('call') ?? 0;
}
