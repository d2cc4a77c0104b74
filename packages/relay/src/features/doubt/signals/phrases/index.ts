/** The wording of offers and scams, in ten languages. To add a language, add its file and list it here. */

import { kept, wordsOf } from '../own_words.ts';
import { type Phrases, phraseFinder } from '../phrases.ts';
import type { Seen } from '../signal.ts';
import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** The parts of an unsolicited offer. */
export const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/**
 * `scam`: hardly anyone writes so in good faith. `hint`: victims, patients and heirs write so, too. `link`: trade in links.
 * `mass`: how to unsubscribe. `lure`: riches without work, and sex; a person may write so, but hardly in a few words beside a
 * way to somewhere else. `complaint`: people who quote such words because they got them.
 */
type Theme = (typeof partsOfPitch)[number] | 'scam' | 'hint' | 'link' | 'mass' | 'lure' | 'complaint';

const languages: readonly Phrases<Theme>[] = [ar, de, en, es, fr, it, pl, pt, ru, zh];
const find = phraseFinder(languages);

/** How many different phrases of each theme a submission has. Spam comes in any language, so all are searched. */
export const phrasesOf = kept((seen) => find(wordsOf(seen)));

/** Half of what phrases count, if somebody complains about them: a complaint quotes what it is about. */
export const unlessComplained = (seen: Seen): number => (phrasesOf(seen).has('complaint') ? 0.5 : 1);
