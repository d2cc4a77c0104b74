import { speaksOfYours, typedIn } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type Seen, signal } from './signal.ts';

const takes = /\byou (?:accept|take|allow|publish)\b/i;

const asksForPlace = (seen: Seen): boolean =>
  speaksOfYours(seen) || typedIn(seen).some(({ text }) => takes.test(text));

export const linkTrade = signal({
  name: 'link_trade',
  summary:
    'Phrases of those who want links: guest posts, paid links, link exchange, in fifteen languages. Two of them are all of it.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const count = phrasesOf(seen).get('link') ?? 0;
    if (count === 0) return undefined;
    // Traders ask about the owner's site; customers of those who place links ask about their own.
    return {
      strength: (count === 1 ? 0.3 : asksForPlace(seen) ? 1 : 0.5) * unlessComplained(seen),
      why: `${count} ${count === 1 ? 'phrase' : 'phrases'} of link trade`,
    };
  },
});
