/** The text of a submission that is compared with others'. */

import { type Values, withoutEmpty } from '../../../base/values.ts';
import { askedBy, type NamedField } from './own_words.ts';

/** A field of a form, as far as it decides what is compared. */
export type ComparedField = NamedField & { readonly value?: readonly string[] | undefined };

/** A longer name is none. */
const longestName = 60;

/** Whatever visitors typed as text, wherever it stands, without their names. */
export function comparedText(fields: readonly ComparedField[], values: Values): string {
  const texts: string[] = [];
  for (const field of fields) {
    if (field.type !== 'text' && field.type !== 'textarea') continue;
    const isName = askedBy(field) === 'name';
    for (const value of withoutEmpty(values.get(field.name) ?? [])) {
      if (!isName || value.length > longestName) texts.push(value);
    }
  }
  return texts.join('\n');
}

const initial = new WeakMap<readonly ComparedField[], string>();

/** Initial values from the owner, which most visitors leave unchanged. */
export function initialText(fields: readonly ComparedField[]): string {
  const before = initial.get(fields);
  if (before !== undefined) return before;
  const now = fields.flatMap(({ value = [] }) => value).join('\n');
  initial.set(fields, now);
  return now;
}
