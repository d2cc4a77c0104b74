import { isAscii } from '../words.ts';
import { labelsOf, typedIn, wordsOf } from './own_words.ts';
import { unlessComplained } from './phrases/index.ts';
import { type Script, scriptOf, scriptsOfLanguage } from './scripts.ts';
import { type Found, type Seen, signal } from './signal.ts';

export const writing = signal({
  name: 'writing',
  summary:
    'Writing that the form’s languages do not have: letters of another script, letters that only look like those of a word, and a little for English where the form speaks something else.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const expected = expectedIn(seen);
    if (!expected) return undefined;
    const { letters, foreign, fancy, mixedWords } = count(seen, expected);
    if (mixedWords >= 3) return { strength: 1, why: `${mixedWords} words of two alphabets` };
    if (fancy >= 8) return { strength: 1, why: `${fancy} letters in disguise` };
    // A name, or what somebody quotes, is less than half.
    if (foreign >= 12 && foreign * 2 >= letters) {
      return { strength: 0.5, why: `${foreign} letters of a script that the form does not have` };
    }
    return inEnglish(seen);
  },
});

/** The form's scripts beside Latin, which is always allowed; `undefined` if its languages are unknown. */
function expectedIn({ languages, fields }: Seen): ReadonlySet<Script> | undefined {
  const labels = scriptsOfLabels(fields);
  if (languages.length === 0 && !labels) return undefined;
  const expected = new Set<Script>(labels);
  for (const tag of languages) for (const script of scriptsOfLanguage(tag)) expected.add(script);
  return expected.add('latin');
}

const known = new WeakMap<Seen['fields'], ReadonlySet<Script>>();

/** `undefined` where there are none. */
function scriptsOfLabels(fields: Seen['fields']): ReadonlySet<Script> | undefined {
  if (fields.every(({ label }) => label === undefined)) return undefined;
  const before = known.get(fields);
  if (before) return before;
  const scripts = new Set<Script>();
  for (const one of fields.flatMap(({ label }) => labelsOf(label).flatMap((text) => [...text]))) {
    const script = scriptOf(one.codePointAt(0) ?? 0);
    if (script) scripts.add(script);
  }
  known.set(fields, scripts);
  return scripts;
}

interface Count {
  readonly letters: number;
  readonly foreign: number;
  readonly fancy: number;
  readonly mixedWords: number;
}

/** Counts the letters of all fields but names. */
function count(seen: Seen, expected: ReadonlySet<Script>): Count {
  let letters = 0;
  let foreign = 0;
  let fancy = 0;
  let mixedWords = 0;
  for (const { text, words, asksFor } of typedIn(seen)) {
    if (asksFor === 'name' || asksFor === 'company') continue;
    // All of its letters are Latin, if any: most texts in English.
    if (isAscii.test(text)) {
      for (const word of words) letters += word.length;
      continue;
    }
    let before: Script | undefined;
    let isMixed = false;
    for (const one of text) {
      const script = scriptOf(one.codePointAt(0) ?? 0);
      if (!script) {
        if (isMixed) mixedWords += 1;
        isMixed = false;
        before = undefined;
        continue;
      }
      letters += 1;
      if (script === 'fancy') fancy += 1;
      else if (!expected.has(script)) foreign += 1;
      if (before && looksLike(before, script)) isMixed = true;
      before = script;
    }
    if (isMixed) mixedWords += 1;
  }
  return { letters, foreign, fancy: expected.has('han') ? 0 : fancy, mixedWords };
}

const alike = new Set<Script>(['latin', 'cyrillic', 'greek']);

const looksLike = (one: Script, other: Script) => one !== other && alike.has(one) && alike.has(other);

/** Words of which most English sentences have one, and sentences of other languages none. */
const englishWords = new Set(
  'the and you your for with are have will this that our can from would not is of to we'.split(' '),
);

function inEnglish(seen: Seen): Found | undefined {
  const { languages } = seen;
  if (languages.length === 0 || languages.some((tag) => /^en\b/.test(tag))) return undefined;
  const words = wordsOf(seen);
  const english = words.filter((word) => englishWords.has(word)).length;
  return english >= 4 && english * 6 >= words.length
    ? { strength: 0.3 * unlessComplained(seen), why: 'English' }
    : undefined;
}
