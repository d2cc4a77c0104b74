import type { Field } from './field.ts';

/** Whether the owner wants nothing of it kept in browsers. */
export const isOptedOut = ({ remember, autocomplete }: Pick<Field, 'remember' | 'autocomplete'>): boolean =>
  !remember || autocomplete?.trim().toLowerCase() === 'off';

/** Fields that their visitor fills in, each time anew, and nobody else. */
const own = ['file', 'consent', 'signature'];

export const isNeverFilledIn = ({ type }: Pick<Field, 'type'>): boolean => own.includes(type);

/** What browsers call secrets: passwords, codes, and cards. */
const secret = /(^|\s)((current|new)-password|one-time-code|cc-\S+)\s*$/i;

/** The fields whose values are kept for a visitor who goes on later (docs/saving-for-later.md). */
export const fieldsForLater = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(
    (field) =>
      !isOptedOut(field) &&
      !isNeverFilledIn(field) &&
      field.type !== 'hidden' &&
      !secret.test(field.autocomplete ?? ''),
  );
