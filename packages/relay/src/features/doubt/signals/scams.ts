import { hostsOf } from './hosts.ts';
import { typedIn, wordsOf } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type Seen, signal } from './signal.ts';

/** Customers and victims use these words, too: they are not enough by themselves. */
const mostOfHints = 0.45;

/** Somebody who tells what happened to them writes more. */
const mostWordsOfLure = 40;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, sex, medicine without prescription, lists of addresses and threats, in ten languages. Three of them are all of it; two, if little else is said and a link leads away; half, if victims, patients and heirs write so, too.',
  weight: 6,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = phrases.get('scam') ?? 0;
    const hints = phrases.get('hint') ?? 0;
    const lures = (phrases.get('lure') ?? 0) + (promisesIncome(seen) ? 1 : 0);
    const count = scams + hints + lures;
    if (count === 0) return undefined;
    // A lure is nothing without the hook.
    const [sure, unsure] = lures > 0 && leadsAway(seen) ? [scams + lures + 1, hints] : [scams, hints + lures];
    const strength = Math.min(1, sure / 3 + Math.min(mostOfHints, unsure / 3)) * unlessComplained(seen);
    return { strength, why: `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams` };
  },
});

/** `@name` of a messenger. What precedes the `@` of a mail address is no space. */
const handle = /(?:^|\s)@[a-z]\w{4,}|\bt\.me\//i;

/** A few words and the way to somewhere else, without a question. */
const leadsAway = (seen: Seen): boolean =>
  wordsOf(seen).length <= mostWordsOfLure &&
  typedIn(seen).every(({ text }) => !isQuestion.test(text)) &&
  (hostsOf(seen).all.size > 0 || typedIn(seen).some(({ text }) => handle.test(text)));

/** Links have question marks, too. */
const isQuestion = /[?？؟](?:\s|$)/;

const amount =
  /(?:[$€£]|\b(?:usd|eur|btc)\b)\s?\d[\d.,]{2,}|\d[\d.,]{2,}\s?(?:[$€£]|\b(?:usd|eur|euros?|btc|dollars?)\b)/i;
const often =
  /\b(?:per|an?|each|every|pro|am|par|al|por|w) (?:day|week|hour|tag|woche|stunde|jour|semaine|d[ií]a|semana|giorno|settimana|dzień)\b|в (?:день|неделю)/i;
const gain =
  /\b(?:earn|mak|incom|profit|verdien|einkommen|gagn|reven|gan[ae]|ingreso|guadagn|ganh|zarab|zarob)|заработ|доход/i;

/** Much money each day or week for somebody: not a price, and not a salary. */
const promisesIncome = (seen: Seen): boolean =>
  typedIn(seen).some(
    ({ text }) => /\d{3}|\d[.,]\d{3}/.test(text) && amount.test(text) && often.test(text) && gain.test(text),
  );
