/**
 * Whether a text in place of a variable's name looks like what the variable should hold: a key of the relay's (`frk_`), one of Svix
 * (`whsec_`), or 32 characters or more with small letters and digits. Some keys do not, as passwords that people choose.
 */
export const looksLikeSecret = (name: string): boolean =>
  /^(frk|whsec)_/.test(name) ||
  (name.length >= 32 && /[a-z]/.test(name) && /\d/.test(name) && new Set(name).size >= 10);
