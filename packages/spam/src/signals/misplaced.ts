import { bareSite, link, mayNameSite } from '../words.ts';
import { siteOf, type Typed, typedIn } from './own_words.ts';
import { type Found, type InputField, signal } from './signal.ts';

export const misplaced = signal({
  name: 'misplaced',
  summary:
    'What nobody writes where it stands: a link or an advertisement as a name, a link in a line that asks for none, the name of a site alone, the same text in several fields.',
  weight: 5,
  score: () => (seen) => {
    const typed = typedIn(seen);
    const found = typed.flatMap((one) => inField(one, siteOf(seen)) ?? []);
    if (repeats(typed)) found.push({ score: 0.6, why: 'the same text in several fields' });
    return found.toSorted((one, other) => other.score - one.score)[0];
  },
});

/** Visitors choose the names of undeclared fields. */
const nameOf = ({ isUndeclared, name }: InputField) => (isUndeclared ? 'an undeclared field' : name);

function inField({ field, text, asksFor }: Typed, site: string | undefined): Found | undefined {
  if (field.type === 'textarea' || asksFor === 'link') return undefined;
  if (text.search(link) >= 0) {
    const score = asksFor === 'name' || field.type === 'tel' ? 1 : asksFor === 'company' ? 0.3 : 0.5;
    return { score, why: `a link in ${nameOf(field)}` };
  }
  if (text.toLowerCase() === site) return { score: 0.6, why: `the name of the site in ${nameOf(field)}` };
  if (asksFor !== 'company' && mayNameSite(text) && text.replace(bareSite, '') === '')
    return { score: asksFor === 'name' ? 0.6 : 0.5, why: `the name of a site as ${nameOf(field)}` };
  return asksFor === 'name' && /[$€£¥₿%]\s?\d|\d\s?[$€£%]|=>|>>/.test(text)
    ? { score: 1, why: `an offer in ${nameOf(field)}` }
    : undefined;
}

/** Three of them; two may be a person's name and that of their company. */
function repeats(typed: readonly Typed[]): boolean {
  if (typed.length < 3) return false;
  const times = new Map<string, number>();
  for (const { text } of typed) if (text.length > 5) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times.values()].some((count) => count >= 3);
}
