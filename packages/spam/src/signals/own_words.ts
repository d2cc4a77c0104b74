/** Visitors' own words, extracted once for all signals that read them. */

import { parseUrl } from '@form-relay/base/url';
import type { Field } from '@form-relay/core/index';
import { sign, signsIn, unspaced, withoutLinks, wordsIn } from '../words.ts';
import type { InputField, SignalInput } from './signal.ts';

export interface Typed {
  readonly field: InputField;
  readonly text: string;
  /** Bits of `sign`. */
  readonly signs: number;
  /** Excludes words in web addresses. */
  readonly words: readonly string[];
  /** The field's purpose, guessed from its name. */
  readonly asksFor: 'name' | 'company' | 'link' | 'anything';
}

/** How many characters of a submission are read. */
export const mostCharacters = 20_000;

/**
 * Computes once what several signals ask about a submission. Submissions are scored synchronously, one at a
 * time, so only the last result is cached.
 */
export function kept<T>(read: (seen: SignalInput) => T): (seen: SignalInput) => T {
  let last: { readonly seen: SignalInput; readonly found: T } | undefined;
  return (seen) => {
    if (last?.seen !== seen) last = { seen, found: read(seen) };
    return last.found;
  };
}

/** Computes once what signals ask about the fields of a form. */
export function ofFields<T>(read: (fields: SignalInput['fields']) => T): (seen: SignalInput) => T {
  const known = new WeakMap<SignalInput['fields'], { readonly found: T }>();
  return ({ fields }) => {
    const before = known.get(fields);
    if (before) return before.found;
    const found = read(fields);
    known.set(fields, { found });
    return found;
  };
}

const textFields = ofFields((fields) =>
  fields.flatMap((field) => (textTypes.has(field.type) ? { field, asksFor: purposeOf(field) } : [])),
);

const textTypes = new Set(['text', 'textarea', 'tel']);

/** The values of declared text fields, except choices and mail addresses. */
export const typedIn = kept((seen): readonly Typed[] => {
  const typed: Typed[] = [];
  let left = mostCharacters;
  for (const { field, asksFor } of textFields(seen)) {
    for (const value of seen.values.get(field.name) ?? nothing) {
      const text = value.slice(0, left).trim();
      left -= text.length;
      if (text === '') continue;
      const signs = signsIn(text);
      const words = wordsIn(signs & sign.link ? withoutLinks(text) : text);
      typed.push({ field, text, signs, words, asksFor });
    }
  }
  return typed;
});

const nothing: readonly never[] = [];

/** The words of the whole submission except names. */
export const wordsOf = kept((seen: SignalInput): readonly string[] => {
  const own = typedIn(seen).filter(({ asksFor }) => asksFor !== 'name');
  return ([] as string[]).concat(...own.map(({ words }) => words));
});

/** Links contain question marks, too. In languages without spaces, the next sentence follows directly. */
const isQuestion = new RegExp(`[？؟]|\\?(?:[\\s${unspaced}]|$)`, 'u');

/** Whether any text asks a question. */
export const asks = kept((seen: SignalInput): boolean =>
  typedIn(seen).some(({ text, signs }) => signs & sign.question && isQuestion.test(text)),
);

/** The site with the form, without `www.`, as reported by the browser. */
export const siteOf = kept(({ headers }: SignalInput): string | undefined => {
  const from = headers?.origin ?? headers?.referer;
  const host = from === undefined ? undefined : parseUrl(from)?.hostname.replace(/^www\./, '');
  return host?.includes('.') ? host : undefined;
});

/** The label in each of the form's languages. */
export function labelsOf(label: Field['label']): readonly string[] {
  if (typeof label === 'string') return [label];
  return label && 'values' in label ? [...label.values()] : [];
}

/** Whole names of fields, in several languages. */
const names =
  /^(?:(?:full|first|last|sur|given|family|middle|your|nick|contact)?[-_ ]?name|(?:vor|nach|familien)name|nom|pr[eé]nom|nombre|apellidos?|cognome|nome|apelido|sobrenome|imi[eę]|nazwisko|имя|фамилия|фио|姓名|名前|氏名|이름|الاسم)$/i;
const companies =
  /^(?:company|organi[sz]ation|firma|unternehmen|soci[eé]t[eé]|entreprise|empresa|azienda|ditta|компания|公司|会社)/i;
/** Matches anywhere in a name: `your_website`, `portfolio_url`. */
const links = /web|site|url|link|homepage|portfolio|blog|domain|profile|social|сайт|网址|网站/i;

function purposeOf({ type, name, label, autocomplete = '' }: InputField): Typed['asksFor'] {
  if (type === 'textarea') return 'anything';
  if (/(?:^| )(?:(?:given-|additional-|family-|nick)?name)$/.test(autocomplete)) return 'name';
  if (/(?:^| )organization$/.test(autocomplete)) return 'company';
  if (/(?:^| )url$/.test(autocomplete)) return 'link';
  const said = [name, ...labelsOf(label)];
  if (said.some((one) => names.test(one))) return 'name';
  if (said.some((one) => links.test(one))) return 'link';
  return said.some((one) => companies.test(one)) ? 'company' : 'anything';
}

const setOf = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const writers = setOf(
  'i im my me we our us ich mein meine meinen mir mich wir uns unser unsere je j mon ma mes nous notre nos yo mi mis nuestro nuestra io mio mia noi nostro nostra ik mijn wij ons onze jag min mitt vi vår já můj moje mój moja nasz nasza eu meu minha nosso я мой моя мы наш наша ben benim biz bizim 我',
);

/** Words of a single person. Advertisers say “we”, if anything. */
const oneself = setOf(
  'i im my me ich mein meine meinen meinem meiner mir mich je j mon ma mes moi yo mi mis io mio mia ik mijn jag min mitt já můj moje mój moja eu meu minha я мой моя мне меня ben benim 我 私 أنا لدي',
);

const readers = setOf(
  'your yours ihr ihre ihrem ihren ihrer dein deine deinem deiner euer eure eurer euren votre vos vuestra vuestro su sus tu tus vostro vostra vostri suo sua seu seus uw jouw jullie din ditt dina era váš vaše vaši vašem vašich twoje twoja twój twojej państwa ваш ваша ваше вашем вашей вам твой твоем 您 你 贵 貴 御',
);

/** Whether the text mentions something of its reader's. */
export const speaksOfYours = kept((seen) => wordsOf(seen).some((word) => readers.has(word)));

/** Whether the text mentions its writer. */
export const speaksOfWriter = kept((seen) => wordsOf(seen).some((word) => writers.has(word)));

/** Whether a single person speaks of themselves. */
export const speaksOfOneself = kept((seen) => wordsOf(seen).some((word) => oneself.has(word)));

/** Advertisements and phishing mention only their reader. */
export const speaksOnlyOfYours = (seen: SignalInput): boolean => speaksOfYours(seen) && !speaksOfWriter(seen);
