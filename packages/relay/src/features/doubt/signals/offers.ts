import { partsOfPitch, phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

export const offers = signal({
  name: 'offers',
  summary:
    'Phrases of those who sell what nobody asked for, in fifteen languages: how they came here, what they sell, what makes it urgent, what they ask for. One of these is nothing, all four are all of it; without a product, one less counts.',
  weight: 3.5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const size = partsOfPitch.filter((part) => phrases.has(part)).length;
    const rest = phrases.has('goods') ? 1 : 2;
    return size > rest
      ? { strength: ((size - rest) / 3) * unlessComplained(seen), why: `${size} of 4 parts of a sales pitch` }
      : undefined;
  },
});
