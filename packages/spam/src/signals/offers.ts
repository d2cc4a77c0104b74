import { partsOfPitch, phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

/** With a link, it is enough for a mark. */
const nearlyAll = 0.87;

export const offers = signal({
  name: 'offers',
  summary:
    'Phrases of those who sell what nobody asked for, in fifteen languages: how they came here, what they sell, what makes it urgent, what they ask for. One of these is nothing, all four are all of it; without a product, one less counts. Three are nearly all of it, if they promise visitors to the owner of a site.',
  weight: 3.5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const size = partsOfPitch.filter((part) => phrases.has(part)).length;
    const rest = phrases.has('goods') ? 1 : 2;
    const sellsReach = size > 2 && phrases.has('reach') && !phrases.has('wants');
    const strength = Math.max((size - rest) / 3, sellsReach ? nearlyAll : 0);
    return size > rest
      ? { strength: strength * unlessComplained(seen), why: `${size} of 4 parts of a sales pitch` }
      : undefined;
  },
});
