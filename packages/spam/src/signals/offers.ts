/** Signals that count phrases of unsolicited sellers, and of people who want links. */
import { speaksOfYours, typedIn } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type SignalInput, signal } from './signal.ts';

/** The parts of an unsolicited offer. */
const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/** With a link, it is enough for a mark. */
const nearlyAll = 0.87;

export const offers = signal({
  name: 'offers',
  summary:
    'Phrases of those who sell what nobody asked for, in fifteen languages: how they came here, what they sell, what makes it urgent, what they ask for. One of these is nothing, all four are all of it; without a product, one less counts. Three are nearly all of it, if they promise visitors to the owner of a site.',
  weight: 3.5,
  score: () => (seen) => {
    const phrases = phrasesOf(seen);
    const size = partsOfPitch.filter((part) => phrases.has(part)).length;
    const rest = phrases.has('goods') ? 1 : 2;
    const sellsReach = size > 2 && phrases.has('reach') && !phrases.has('wants');
    const score = Math.max((size - rest) / 3, sellsReach ? nearlyAll : 0);
    return size > rest
      ? { score: score * unlessComplained(seen), why: `${size} of 4 parts of a sales pitch` }
      : undefined;
  },
});

const takes = /\byou (?:accept|take|allow|publish)\b/i;

const asksForPlace = (seen: SignalInput): boolean =>
  speaksOfYours(seen) || typedIn(seen).some(({ text }) => takes.test(text));

export const linkTrade = signal({
  name: 'link_trade',
  summary:
    'Phrases of those who want links: guest posts, paid links, link exchange, in fifteen languages. Two of them are all of it.',
  weight: 5,
  score: () => (seen) => {
    const count = phrasesOf(seen).get('link') ?? 0;
    if (count === 0) return undefined;
    // Traders ask about the owner's site; customers of those who place links ask about their own.
    return {
      score: (count === 1 ? 0.3 : asksForPlace(seen) ? 1 : 0.5) * unlessComplained(seen),
      why: `${count} ${count === 1 ? 'phrase' : 'phrases'} of link trade`,
    };
  },
});
