import { createHash } from 'node:crypto';

/** A form's name as a store may have it in a key, whatever the form is called. */
export const nameInStore = (form: string): string =>
  /^[a-z\d_-]{1,60}$/.test(form) ? form : `=${createHash('sha256').update(form).digest('hex').slice(0, 32)}`;

/** The prefix of the keys under which a store remembers a form's `Idempotency-Key`s. */
export const keysFolder = (form: string): string => `keys/${nameInStore(form)}`;
