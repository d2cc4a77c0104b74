/** The wording of offers and scams, in fifteen languages. To add a language, add its file and list it here. */

import { kept, type Typed, typedIn, wordsOf } from '../own_words.ts';
import { type Phrases, phraseFinder } from '../phrases.ts';
import ar from './ar.json' with { type: 'json' };
import cs from './cs.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** The parts of an unsolicited offer. */
export const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/**
 * `scam`: hardly anyone writes so in good faith. `hint`: victims, patients and heirs write so, too. `link`: trade in links.
 * `mass`: how to unsubscribe. `lure`: riches without work, and sex; a person may write so, but hardly in a few words beside a
 * way to somewhere else. `tease`: ordinary words; two of them beside such a way, in a text about its reader alone, are phishing
 * or an advertisement. `call`, `deal`, `ware`: the parts of an advertisement to consumers: what its reader should do, the price
 * or promise, the goods. `customer`: hardly any advertisement says so. `reach`: what promises visitors to owners of sites, who get
 * more of such offers than of all others. `wants`: who needs it writes so. `complaint`: people who quote such words because they got
 * them.
 */
type Theme =
  | (typeof partsOfPitch)[number]
  | 'scam'
  | 'hint'
  | 'link'
  | 'mass'
  | 'lure'
  | 'tease'
  | 'call'
  | 'deal'
  | 'ware'
  | 'customer'
  | 'reach'
  | 'wants'
  | 'complaint';

const languages: readonly Phrases<Theme>[] = [ar, cs, de, en, es, fr, it, ja, nl, pl, pt, ru, sv, tr, zh];

/** How many different phrases of each theme are among these words. */
export const phrasesIn = phraseFinder(languages);

/** How many different phrases of each theme a submission has. Spam comes in any language, so all are searched. */
export const phrasesOf = kept((seen) => phrasesIn(wordsOf(seen)));

/** A passage of four words or more in quotation marks, or a line of a quoted mail. Attributes of tags are none. */
const quotation =
  /(?<![^\s(:])["„“”«»「『](?:[^\s<>"„“”«»「」『』]+\s){3}[^<>"„“”«»「」『』]*["“”«»」』]|^> ?[^\s>].*/m;

/** Less than this beside a quotation says nothing about it. In characters. */
const leastBeside = 15;

const quotes = ({ text }: Typed): boolean => {
  const [quoted] = quotation.exec(text) ?? [];
  return quoted !== undefined && text.length - quoted.length >= leastBeside;
};

/** A complaint may introduce its quotation with a colon alone. */
const afterColon = /:\s+(?:\S+\s+){3}/;

/** Half of what a text counts, if somebody complains about it in words; and half, if somebody quotes it. */
export const unlessComplained = kept((seen): number => {
  const complains = phrasesOf(seen).has('complaint');
  const isQuoted = (one: Typed) => quotes(one) || (complains && afterColon.test(one.text));
  return (complains ? 0.5 : 1) * (typedIn(seen).some(isQuoted) ? 0.5 : 1);
});
