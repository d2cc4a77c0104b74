import { advertises } from './advertisement.ts';
import { hostsOf } from './hosts.ts';
import { asks, typedIn, wordsOf } from './own_words.ts';
import { speaksOfYoursAlone } from './persons.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { namesCoins, promisesMoney, sellsByThousands } from './promises.ts';
import { type Seen, signal } from './signal.ts';

/** Customers and victims use these words, too: they are not enough by themselves. */
const mostOfHints = 0.45;

/** Somebody who tells what happened to them writes more. */
const mostWordsOfLure = 40;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, sex, medicine without prescription, lists of addresses and threats, in fifteen languages. Three of them are all of it; one is two thirds, if little else is said and a link leads away; half, if victims, patients and heirs write so, too. Advertisements to consumers, by a call such as “order now”, a price and goods: four phrases of all three are three quarters.',
  weight: 6,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = (phrases.get('scam') ?? 0) + told(seen, sellsByThousands);
    const hints = phrases.get('hint') ?? 0;
    const lures = (phrases.get('lure') ?? 0) + told(seen, promisesMoney);
    const teases = (phrases.get('tease') ?? 0) + told(seen, namesCoins);
    // A lure is nothing without the hook.
    const isHooked = (scams + lures > 0 || (teases > 1 && speaksOfYoursAlone(seen))) && leadsAway(seen);
    const [sure, unsure] = isHooked ? [scams + lures + 1 + teases / 2, hints] : [scams, hints + lures / 2];
    const count = scams + hints + lures + (isHooked ? teases : 0);
    const scammed = Math.min(1, sure / 3 + Math.min(mostOfHints, unsure / 3));
    const advertised = advertises(seen);
    const strength = Math.max(scammed, advertised) * unlessComplained(seen);
    if (strength === 0) return undefined;
    const why =
      advertised > scammed
        ? 'words of an advertisement'
        : `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams`;
    return { strength, why };
  },
});

/** `@name` of a messenger, or a number to write to. */
const handle =
  /(?:^|\s)@[a-z]\w{4,}|\b(?:t|wa)\.me\/|\b(?:whats ?app|telegram|viber)\b[^\d\n]{0,20}\+?\d[\d ]{6}/i;

/** A few words and the way to somewhere else, without a question. */
const leadsAway = (seen: Seen): boolean =>
  wordsOf(seen).length <= mostWordsOfLure &&
  !asks(seen) &&
  (hostsOf(seen).all.size > 0 || typedIn(seen).some(({ text }) => handle.test(text)));

/** 1 if it is so of a text with a number in it. */
const told = (seen: Seen, isSo: (text: string) => boolean): number =>
  typedIn(seen).some(({ text }) => /\d|mill|млн/i.test(text) && isSo(text)) ? 1 : 0;
