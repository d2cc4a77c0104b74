import { phrasesOf } from './phrases/index.ts';
import { signal } from './signal.ts';

/** Customers and victims use these words, too: they are not enough by themselves. */
const mostOfHints = 0.5;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, medicine without prescription and threats, in ten languages. Three of them are all of it; half, if victims, patients and heirs write so, too.',
  weight: 6,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = phrases.get('scam') ?? 0;
    const hints = phrases.get('hint') ?? 0;
    const count = scams + hints;
    if (count === 0) return undefined;
    const strength = Math.min(1, scams / 3 + Math.min(mostOfHints, hints / 3));
    return { strength, why: `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams` };
  },
});
