import texts from '../core/src/messages/en.json' with { type: 'json' };
import words from '../pages/src/messages.json' with { type: 'json' };

const all: Readonly<Record<string, unknown>> = { ...texts, ...words };
const codes = ['not_sent', 'not_sent_yet', 'not_loaded', 'open_form'] as const;
/** @public For `english.d.ts`, whose imports knip does not follow. */
export type EnglishText = (typeof codes)[number];

/**
 * For the bundler: replaces `english.not_sent` in a script by the text of this code, for scripts that do not
 * know the form's language yet.
 */
export const english = Object.fromEntries(
  codes.map((code) => [`english.${code}`, JSON.stringify(all[code])]),
);
