/** What is sold to strangers, and how, in ten languages. Adding a language is one file and one line here. */

import { kept, wordsOf } from '../own_words.ts';
import { phraseFinder } from '../phrases.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

const find = phraseFinder([ar, de, en, es, fr, it, pl, pt, ru, zh]);

/** How many different phrases of each theme a submission has: all languages at once, since spam comes in any. */
export const phrasesOf = kept((seen) => find(wordsOf(seen)));
