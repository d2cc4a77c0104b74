import { bareSite, link, mayLink, mayNameSite } from '../words.ts';
import { siteOf, type Typed, typedIn } from './own_words.ts';
import { type Found, signal } from './signal.ts';

export const misplaced = signal({
  name: 'misplaced',
  summary:
    'What nobody writes where it stands: a link or an advertisement as a name, a link in a line that asks for none, the name of your own site, the same text in several fields.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const typed = typedIn(seen);
    const found = typed.flatMap((one) => inField(one, siteOf(seen)) ?? []);
    if (repeats(typed)) found.push({ strength: 0.6, why: 'the same text in several fields' });
    return found.toSorted((one, other) => other.strength - one.strength)[0];
  },
});

function inField({ field, text, asksFor }: Typed, site: string | undefined): Found | undefined {
  if (field.type === 'textarea' || asksFor === 'link') return undefined;
  if (mayLink(text) && text.search(link) >= 0) {
    const strength = asksFor === 'name' || field.type === 'tel' ? 1 : asksFor === 'company' ? 0.3 : 0.5;
    return { strength, why: `a link in ${field.name}` };
  }
  if (text.toLowerCase() === site) return { strength: 0.6, why: `the name of the site in ${field.name}` };
  if (asksFor !== 'company' && mayNameSite(text) && text.replace(bareSite, '') === '') {
    return { strength: 0.6, why: `the name of a site as ${field.name}` };
  }
  if (asksFor !== 'name') return undefined;
  // Long names are names: many have ten words in some countries, and no digits.
  if (/[$€£¥₿%]\s?\d|\d\s?[$€£%]|=>|>>/.test(text)) return { strength: 1, why: `an offer in ${field.name}` };
  return text.length > 80 && /[.!?]\s/.test(text)
    ? { strength: 0.8, why: `a sentence in ${field.name}` }
    : undefined;
}

/** Three of them; two may well be somebody's name, and that of their company. */
function repeats(typed: readonly Typed[]): boolean {
  if (typed.length < 3) return false;
  const times = new Map<string, number>();
  for (const { text } of typed) {
    if (text.length > 5) times.set(text, (times.get(text) ?? 0) + 1);
  }
  return [...times.values()].some((count) => count >= 3);
}
