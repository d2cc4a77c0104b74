import { link } from '../words.ts';
import { type Typed, typedIn } from './own_words.ts';
import { type Found, type InputField, signal } from './signal.ts';

export const misplaced = signal({
  name: 'misplaced',
  summary:
    'What nobody writes where it stands: a link or an advertisement as a name, a link in a line that asks for none.',
  weight: 5,
  score: () => (seen) => {
    const found = typedIn(seen).flatMap((one) => inField(one) ?? []);
    return found.toSorted((one, other) => other.score - one.score)[0];
  },
});

/** Visitors choose the names of undeclared fields. */
const nameOf = ({ isUndeclared, name }: InputField) => (isUndeclared ? 'an undeclared field' : name);

function inField({ field, text, asksFor }: Typed): Found | undefined {
  if (field.type === 'textarea' || asksFor === 'link') return undefined;
  if (text.search(link) >= 0) {
    const score = asksFor === 'name' || field.type === 'tel' ? 1 : asksFor === 'company' ? 0.3 : 0.5;
    return { score, why: `a link in ${nameOf(field)}` };
  }
  return asksFor === 'name' && /[$€£¥₿%]\s?\d|\d\s?[$€£%]|=>|>>/.test(text)
    ? { score: 1, why: `an offer in ${nameOf(field)}` }
    : undefined;
}
