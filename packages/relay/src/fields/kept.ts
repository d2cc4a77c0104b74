import type { Field } from './field.ts';

/** Whether the owner wants nothing of it kept in browsers. */
export const isOptedOut = ({ remember, autocomplete }: Pick<Field, 'remember' | 'autocomplete'>): boolean =>
  !remember || autocomplete?.trim().toLowerCase() === 'off';

/** Fields that their visitor fills in, each time anew, and nobody else. */
const own = ['file', 'consent', 'signature'];

export const isNeverFilledIn = ({ type }: Pick<Field, 'type'>): boolean => own.includes(type);

/** What browsers call secrets: passwords, codes, and cards. */
const secret = /(^|\s)((current|new)-password|one-time-code|cc-\S+)\s*$/i;

/**
 * The fields whose values are kept for a visitor who goes on later (docs/saving-for-later.md): with all that is sent below
 * their names, or else those of their parts.
 */
export const fieldsForLater = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(isForLater).flatMap((field) => {
    const parts = field.parts?.all ?? [];
    return parts.every(isForLater) ? field : parts.filter(isForLater);
  });

const isForLater = (field: Field): boolean =>
  !isOptedOut(field) &&
  !isNeverFilledIn(field) &&
  field.type !== 'hidden' &&
  !secret.test(field.autocomplete ?? '');
