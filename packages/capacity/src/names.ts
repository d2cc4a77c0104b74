/** The keys under which stores count. */
import { createHash } from 'node:crypto';

/** A form's name as a store may have it in a key, whatever the form is called. */
export const nameInStore = (form: string): string =>
  /^[a-z\d_-]{1,60}$/.test(form) ? form : `=${createHash('sha256').update(form).digest('hex').slice(0, 32)}`;

/** Where a value of `once` is counted. Spread out by how the hash begins, so that none of them grows large. */
export const registrationKey = (form: string, hash: string): string =>
  `once/${nameInStore(form)}/${hash.slice(0, 2)}`;

/** Where the codes of `verify` with such a hash are counted. */
export const codesKey = (form: string, hash: string): string =>
  `verify/${nameInStore(form)}/${hash.slice(0, 2)}`;

/** Where all registrations of a form are. */
export const registrationKeys = (form: string): readonly string[] =>
  Array.from({ length: 256 }, (_, index) => registrationKey(form, index.toString(16).padStart(2, '0')));
