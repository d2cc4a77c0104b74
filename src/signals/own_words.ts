/** What visitors wrote in their own words, told apart once for all signals that read it. */
import type { Field } from '../fields/field.ts';
import { parseUrl } from '../url.ts';
import type { Seen } from './signal.ts';
import { withoutLinks, wordsIn } from './words.ts';

/** Text in a field. */
export interface Typed {
  readonly field: Field;
  readonly text: string;
  /** Without those in web addresses. */
  readonly words: readonly string[];
  /** What the field asks for, as far as its name tells. */
  readonly asksFor: 'name' | 'company' | 'link' | 'anything';
}

/** What is read of a submission, so that a long one takes no longer: in characters. */
export const mostCharacters = 20_000;

/** What was written in the fields of text that the form declares. What was chosen, and addresses of mail, are none. */
export const typedIn = kept(({ fields, values }: Seen): readonly Typed[] => {
  let left = mostCharacters;
  return fields.flatMap((field) => {
    if (!textTypes.has(field.type)) return [];
    return (values.get(field.name) ?? []).flatMap((value) => {
      const text = value.slice(0, left).trim();
      left -= text.length;
      return text === ''
        ? []
        : [{ field, text, words: wordsIn(withoutLinks(text)), asksFor: askedBy(field) }];
    });
  });
});

const textTypes = new Set(['text', 'textarea', 'tel']);

/** The words of all of it but names. */
export const wordsOf = kept((seen: Seen): readonly string[] =>
  typedIn(seen).flatMap(({ words, asksFor }) => (asksFor === 'name' ? [] : words)),
);

/** For what several signals ask of each submission. */
export function kept<T>(look: (seen: Seen) => T): (seen: Seen) => T {
  const found = new WeakMap<Seen, T>();
  return (seen) => {
    const known = found.get(seen);
    if (known !== undefined) return known;
    const now = look(seen);
    found.set(seen, now);
    return now;
  };
}

/** The site on which the form was filled in, without `www.`, as far as its browser says. */
export function siteOf({ headers }: Seen): string | undefined {
  const host = parseUrl(headers?.origin ?? headers?.referer ?? '')?.hostname.replace(/^www\./, '');
  return host?.includes('.') ? host : undefined;
}

const asked = new WeakMap<Field, Typed['asksFor']>();

function askedBy(field: Field): Typed['asksFor'] {
  const known = asked.get(field);
  if (known) return known;
  const now = guess(field);
  asked.set(field, now);
  return now;
}

/** Whole names of fields, in several languages. */
const names =
  /^(?:(?:full|first|last|sur|given|family|middle|your|nick|contact)?[-_ ]?name|(?:vor|nach|familien)name|nom|pr[eé]nom|nombre|apellidos?|cognome|nome|apelido|sobrenome|imi[eę]|nazwisko|имя|фамилия|фио|姓名|名前|氏名|이름|الاسم)$/i;
const companies =
  /^(?:company|organi[sz]ation|firma|unternehmen|soci[eé]t[eé]|entreprise|empresa|azienda|ditta|компания|公司|会社)/i;
/** In whichever place: `your_website`, `portfolio_url`. */
const links = /web|site|url|link|homepage|portfolio|blog|domain|profile|social|сайт|网址|网站/i;

function guess({ type, name, label, autocomplete = '' }: Field): Typed['asksFor'] {
  if (type === 'textarea') return 'anything';
  if (/(?:^| )(?:(?:given-|additional-|family-|nick)?name)$/.test(autocomplete)) return 'name';
  if (/(?:^| )organization$/.test(autocomplete)) return 'company';
  if (/(?:^| )url$/.test(autocomplete)) return 'link';
  const said = label === undefined ? [name] : [name, label];
  if (said.some((one) => names.test(one))) return 'name';
  if (said.some((one) => links.test(one))) return 'link';
  return said.some((one) => companies.test(one)) ? 'company' : 'anything';
}
