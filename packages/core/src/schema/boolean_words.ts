import { type Diagnostics, shown } from './diagnostics.ts';

/** The boolean that a boolean of YAML 1.1 means. */
export const booleanMeantBy = (word: string): 'true' | 'false' | undefined => {
  if (/^(true|yes|y|on)$/i.test(word)) return 'true';
  return /^(false|no|n|off)$/i.test(word) ? 'false' : undefined;
};

/** Warns about a name of a field that was meant as `true` or `false`. `what`: such as `the honeypot`. */
export function warnIfBoolean(found: string, at: Diagnostics, what: string, usual: string): void {
  const meant = booleanMeantBy(found);
  if (meant)
    at.warning(
      meant === 'true'
        ? `${what} gets the name ${shown(found, at)}; write the name that its field is to have, such as ${usual}`
        : `${what} gets the name ${shown(found, at)}; leave this key out to go without`,
    );
}
