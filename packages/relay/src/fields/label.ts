import { withoutLinks } from '../base/linked_text.ts';
import type { Field } from './field.ts';

/** `first_name` reads "First name". Plain text, also where the label holds a link. */
export function labelOf({ label, name }: Pick<Field, 'label' | 'name'>): string {
  if (label !== undefined) return withoutLinks(label);
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
