import { isAscii } from '../words.ts';
import { labelsOf, typedIn, wordsOf } from './own_words.ts';
import { unlessComplained } from './phrases/index.ts';
import { type Found, type SignalInput, signal } from './signal.ts';

export const writing = signal({
  name: 'writing',
  summary:
    'Writing that the form’s languages do not have: letters of another script, letters that only look like those of a word or are drawn in bold or in circles, and a little for English where the form speaks something else.',
  weight: 4,
  score: () => (seen) => {
    const { languages, fields } = seen;
    const labels = fields.flatMap(({ label }) => labelsOf(label)).join(' ');
    // Nothing says how the form is written.
    if (languages.length === 0 && labels === '') return undefined;
    const text = typedIn(seen)
      .filter(({ asksFor }) => asksFor !== 'name' && asksFor !== 'company')
      .map((typed) => typed.text)
      .join('\n');
    return (isAscii.test(text) ? undefined : inOtherLetters(text, languages, labels)) ?? inEnglish(seen);
  },
});

/** Scripts by their codes of ISO 15924. Latin, and scripts that are not here, are expected in any form. */
const scripts = 'Grek Cyrl Hebr Arab Deva Beng Taml Thai Hang Hira Kana Hani'.split(' ');

/** The scripts of languages that are written in several, or in one that has another name there. */
const severalScripts: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
  Hans: ['Hani'],
  Hant: ['Hani'],
};

function scriptsOf(language: string): readonly string[] {
  const { script = '' } = new Intl.Locale(language).maximize();
  return severalScripts[script] ?? [script];
}

const lettersOf = (some: readonly string[], flags: string) =>
  new RegExp(`[${some.map((script) => `\\p{Script=${script}}`).join('')}]`, flags);
const byScript = scripts.map((script) => [script, lettersOf([script], 'u')] as const);

/** Letters for mathematics, and in circles and squares, which look like bold or framed ones. */
const disguised = /[\u24b6-\u24e9\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}]/gu;

const notLetters = /[^\p{L}]+/u;
const ofTwoAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;

const timesIn = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function inOtherLetters(text: string, languages: readonly string[], labels: string): Found | undefined {
  const words = text.split(notLetters);
  const mixedWords = words.filter((word) => ofTwoAlphabets.test(word)).length;
  if (mixedWords >= 3) return { score: 1, why: `${mixedWords} words of two alphabets` };
  const expected = new Set(languages.flatMap(scriptsOf));
  const inDisguise = expected.has('Hani') ? 0 : timesIn(text, disguised);
  if (inDisguise >= 8) return { score: 1, why: `${inDisguise} letters in disguise` };
  const others = byScript.filter(([script, letter]) => !expected.has(script) && !letter.test(labels));
  const foreign = timesIn(
    text,
    lettersOf(
      others.map(([script]) => script),
      'gu',
    ),
  );
  // A name, or what somebody quotes, is less than half.
  return foreign >= 12 && foreign * 2 >= words.join('').length
    ? { score: 0.5, why: `${foreign} letters of a script that the form does not have` }
    : undefined;
}

/** Words of which most English sentences have one, and sentences of other languages none. */
const englishWords = new Set(
  'the and you your for with are have will this that our can from would not is of to we'.split(' '),
);

function inEnglish(seen: SignalInput): Found | undefined {
  const { languages } = seen;
  if (languages.length === 0 || languages.some((tag) => /^en\b/.test(tag))) return undefined;
  const words = wordsOf(seen);
  const english = words.filter((word) => englishWords.has(word)).length;
  return english >= 4 && english * 6 >= words.length
    ? { score: 0.3 * unlessComplained(seen), why: 'English' }
    : undefined;
}
