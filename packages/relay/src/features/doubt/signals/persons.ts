/** Whether a text speaks of its writer's own, or of its reader's. */
import { kept, wordsOf } from './own_words.ts';
import { wordsIn } from './words.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const writers = setOf(
  'i im my me we our us ich mein meine meinen mir mich wir uns unser unsere je j mon ma mes nous notre nos yo mi mis nuestro nuestra io mio mia noi nostro nostra ik mijn wij ons onze jag min mitt vi vår já můj moje mój moja nasz nasza eu meu minha nosso я мой моя мы наш наша ben benim biz bizim 我',
);

const readers = setOf(
  'your yours ihr ihre ihrem ihren ihrer dein deine deinem deiner euer eure eurer euren votre vos vuestra vuestro su sus tu tus vostro vostra vostri suo sua seu seus uw jouw jullie din ditt dina era váš vaše vaši vašem vašich twoje twoja twój twojej państwa ваш ваша ваше вашем вашей вам твой твоем 您 你 贵 貴 御',
);

/** Whether it speaks of something of its reader's. */
export const speaksOfYours = kept((seen) => wordsOf(seen).some((word) => readers.has(word)));

/** Advertisements and phishing speak of that alone. */
export const speaksOfYoursAlone = kept(
  (seen) => speaksOfYours(seen) && !wordsOf(seen).some((word) => writers.has(word)),
);
