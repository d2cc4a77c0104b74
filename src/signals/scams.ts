import { phrasesOf } from './phrases/index.ts';
import { signal } from './signal.ts';

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, medicine without prescription and threats, in ten languages. Three of them are all of it.',
  weight: 6,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const count = phrasesOf(seen).get('scam') ?? 0;
    return count === 0 ? undefined : { strength: Math.min(1, count / 3), why: `${count} phrases of scams` };
  },
});
