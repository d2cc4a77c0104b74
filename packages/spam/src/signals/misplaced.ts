import { link } from '../words.ts';
import { type Typed, typedIn } from './own_words.ts';
import { type Found, type SeenField, signal } from './signal.ts';

export const misplaced = signal({
  name: 'misplaced',
  summary:
    'What nobody writes where it stands: a link or an advertisement as a name, a link in a line that asks for none.',
  weight: 5,
  look: () => (seen) => {
    const found = typedIn(seen).flatMap((one) => inField(one) ?? []);
    return found.toSorted((one, other) => other.strength - one.strength)[0];
  },
});

/** Visitors choose the names of undeclared fields. */
const nameOf = ({ isUndeclared, name }: SeenField) => (isUndeclared ? 'an undeclared field' : name);

function inField({ field, text, asksFor }: Typed): Found | undefined {
  if (field.type === 'textarea' || asksFor === 'link') return undefined;
  if (text.search(link) >= 0) {
    const strength = asksFor === 'name' || field.type === 'tel' ? 1 : asksFor === 'company' ? 0.3 : 0.5;
    return { strength, why: `a link in ${nameOf(field)}` };
  }
  return asksFor === 'name' && /[$€£¥₿%]\s?\d|\d\s?[$€£%]|=>|>>/.test(text)
    ? { strength: 1, why: `an offer in ${nameOf(field)}` }
    : undefined;
}
