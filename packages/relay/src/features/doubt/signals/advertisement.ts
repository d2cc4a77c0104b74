/** Advertisements to consumers, as shops and money schemes write them: a call, a price and goods. */
import { hostsOf } from './hosts.ts';
import { asks, typedIn, wordsOf } from './own_words.ts';
import { phrasesIn, phrasesOf } from './phrases/index.ts';
import { cutsPrices, promisesMoney } from './promises.ts';
import type { Seen } from './signal.ts';
import { withoutLinks, wordsIn } from './words.ts';

/** Newsletters, which people forward, are longer. */
const mostWords = 150;

/** How many different phrases it takes to be sure, of all three parts, or of a call and one other. A link is one more. */
const leastOfAll = 4;
const leastOfTwo = 6;

const unsure = 0.25;
const sure = 0.75;

/** How much a text is an advertisement. Without a call, or in words of a customer, it is none: customers name prices and goods. */
export function advertises(seen: Seen): number {
  const phrases = phrasesOf(seen);
  if (!phrases.has('call') || phrases.has('customer') || wordsOf(seen).length > mostWords) return 0;
  const calls = callsIn(seen);
  if (calls === 0) return 0;
  const says = (isSo: (text: string) => boolean) => typedIn(seen).some(({ text }) => isSo(text));
  const prices = (phrases.get('deal') ?? 0) + (says(cutsPrices) ? 1 : 0);
  const goods = (phrases.get('ware') ?? phrases.get('lure') ?? 0) + (says(promisesMoney) ? 1 : 0);
  if (prices + goods === 0) return 0;
  const least = prices > 0 && goods > 0 ? leastOfAll : leastOfTwo;
  const links = hostsOf(seen).all.size > 0 ? 1 : 0;
  return calls + prices + goods + links >= least ? sure : unsure;
}

const sentenceEnd = /(?<=[.!?？؟。！\n])/;
const endsAsQuestion = /[?？؟]$/;

/** Calls in questions are none: “Kaufen Sie auch alte Uhren?” */
function callsIn(seen: Seen): number {
  if (!asks(seen)) return phrasesOf(seen).get('call') ?? 0;
  const told = typedIn(seen)
    .filter(({ asksFor }) => asksFor !== 'name')
    .flatMap(({ text }) => withoutLinks(text).split(sentenceEnd))
    .filter((sentence) => !endsAsQuestion.test(sentence));
  return phrasesIn(wordsIn(told.join(' '))).get('call') ?? 0;
}
