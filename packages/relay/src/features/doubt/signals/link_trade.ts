import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

export const linkTrade = signal({
  name: 'link_trade',
  summary:
    'Phrases of those who want links: guest posts, paid links, link exchange, in ten languages. Two of them are all of it.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const count = phrasesOf(seen).get('link') ?? 0;
    return count === 0
      ? undefined
      : {
          strength: (count === 1 ? 0.3 : 1) * unlessComplained(seen),
          why: `${count} ${count === 1 ? 'phrase' : 'phrases'} of link trade`,
        };
  },
});
