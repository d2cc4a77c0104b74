import { bareSite, link, mayNameSite, sign, withoutLinks } from '../words.ts';
import { labelsOf, ofFields, siteOf, type Typed, typedIn, wordsOf } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type Found, type InputField, type SignalInput, signal } from './signal.ts';

/** `{{first_name}}`, `[Company]`, `%domain%`, `%domain_as_name%`: placeholders that a program failed to fill in. */
const gap =
  /[{[%]{1,2} ?(?:first[ _]?name|last[ _]?name|name|company(?:[ _]?name)?|domain|website|site|url|city) ?[}\]%]|%(?:domain|company|website)_[a-z_]{1,30}%/i;
/**
 * `{Hi|Hello|Hey}`: alternatives that a program failed to choose from. Programmers put spaces around the bar,
 * or write two bars.
 */
const choice = /\{[^\s{}|][^{}|\n]{0,40}(?<!\s)\|[^\s{}|][^{}\n]{0,80}\}/;
/** A link whose query names the site that it was sent to. */
const marked = /\/\S{0,80}[?&](?:d|domain|site|website)=(?:https?:\/\/)?[\w-]{1,63}\.[a-z]{2,}/i;

/** Whether the text names the site outside a link: people ask about pages, and link to them. */
const isNamed = (text: string, site: string) => withoutLinks(text).toLowerCase().includes(site);

export const massMail = signal({
  name: 'mass_mail',
  summary:
    'Traces of mass mail, in fifteen languages: unsubscribe texts, unfilled placeholders, the name of your site.',
  weight: 4,
  score: () => (seen) => {
    const site = siteOf(seen);
    const typed = typedIn(seen);
    const traces: string[] = [];
    if (phrasesOf(seen).has('mass')) traces.push('phrases typical of bulk mail');
    if (typed.some(({ text, signs }) => signs & sign.gap && (gap.test(text) || choice.test(text))))
      traces.push('unfilled placeholders');
    if (typed.some(({ text, signs }) => signs & sign.slash && marked.test(text)))
      traces.push('a link tagged with the site');
    // Programs write the site's name into each copy; some people do, too.
    if (site !== undefined && typed.some(({ text }) => isNamed(text, site))) {
      if (traces.length === 0) return { score: 0.25, why: 'the name of the site' };
      traces.push('the name of the site');
    }
    if (traces.length === 0) return undefined;
    return { score: (traces.length > 1 ? 1 : 0.7) * unlessComplained(seen), why: traces.join(', ') };
  },
});

export const misplaced = signal({
  name: 'misplaced',
  summary:
    'Text in the wrong place: a link or an advertisement as a name, a link in a short field, only the name of a site, the same text in several fields.',
  weight: 5,
  score: () => (seen) => {
    const typed = typedIn(seen);
    const found: Found[] = [];
    for (const one of typed) {
      const inOne = inField(one, siteOf(seen));
      if (inOne) found.push(inOne);
    }
    if (repeats(typed)) found.push({ score: 0.6, why: 'the same text in several fields' });
    return found.toSorted((one, other) => other.score - one.score)[0];
  },
});

/** Visitors choose the names of undeclared fields. */
const nameOf = ({ isUndeclared, name }: InputField) => (isUndeclared ? 'an undeclared field' : name);

function inField({ field, text, signs, asksFor }: Typed, site: string | undefined): Found | undefined {
  if (field.type === 'textarea' || asksFor === 'link') return undefined;
  if (signs & sign.link && text.search(link) >= 0) {
    const score = asksFor === 'name' || field.type === 'tel' ? 1 : asksFor === 'company' ? 0.3 : 0.5;
    return { score, why: `a link in ${nameOf(field)}` };
  }
  if (text.toLowerCase() === site) return { score: 0.6, why: `the name of the site in ${nameOf(field)}` };
  if (asksFor !== 'company' && signs & sign.target && mayNameSite(text) && text.replace(bareSite, '') === '')
    return { score: asksFor === 'name' ? 0.6 : 0.5, why: `the name of a site as ${nameOf(field)}` };
  return asksFor === 'name' && /[$€£¥₿%]\s?\d|\d\s?[$€£%]|=>|>>/.test(text)
    ? { score: 1, why: `an offer in ${nameOf(field)}` }
    : undefined;
}

/** Three fields with the same text. Two may be a person's name and their company's. */
function repeats(typed: readonly Typed[]): boolean {
  if (typed.length < 3) return false;
  const times = new Map<string, number>();
  for (const { text } of typed) if (text.length > 5) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times.values()].some((count) => count >= 3);
}

export const writing = signal({
  name: 'writing',
  summary:
    'Writing that the form’s languages do not use: letters of another script, look-alike, bold or circled letters, and a few points for English in a form of another language.',
  weight: 4,
  score: () => (seen) => {
    const { languages } = seen;
    const labels = labelsIn(seen);
    // Neither a language nor a label tells which script the form uses.
    if (languages.length === 0 && labels === '') return undefined;
    const typed = typedIn(seen).filter(({ asksFor }) => asksFor !== 'name' && asksFor !== 'company');
    const isForeign = typed.some(({ signs }) => signs & sign.foreign);
    return (isForeign ? inOtherLetters(typed, languages, labels) : undefined) ?? inEnglish(seen);
  },
});

const labelsIn = ofFields((fields) => fields.flatMap(({ label }) => labelsOf(label)).join(' '));

/** Scripts by ISO 15924 code. Latin, and scripts that are not listed, are expected in any form. */
const scripts = 'Grek Cyrl Hebr Arab Deva Beng Taml Thai Hang Hira Kana Hani'.split(' ');

/** The scripts of languages that use several scripts, or a script that Unicode names differently. */
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

/** Mathematical, circled and squared letters, which look bold or framed. */
const disguised = /[\u24b6-\u24e9\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}]/gu;

const notLetters = /[^\p{L}]+/u;
const ofTwoAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;

const timesIn = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function inOtherLetters(typed: readonly Typed[], languages: readonly string[], labels: string) {
  const text = typed.map((one) => one.text).join('\n');
  const words = text.split(notLetters);
  const mixedWords = words.filter((word) => ofTwoAlphabets.test(word)).length;
  if (mixedWords >= 3) return { score: 1, why: `${mixedWords} words that mix alphabets` };
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
  // A name or a quotation makes up less than half.
  return foreign >= 12 && foreign * 2 >= words.join('').length
    ? { score: 0.5, why: `${foreign} letters of a script that the form’s languages do not use` }
    : undefined;
}

/** Words that most English sentences contain, and sentences of other languages do not. */
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
