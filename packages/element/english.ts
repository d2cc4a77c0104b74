import { en } from '@form-relay/relay/messages/message';

/** `english.not_sent` in a script, as English: for what it says before it knows the form's language. */
export const english: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(en).map(([code, text]) => [`english.${code}`, JSON.stringify(text)]),
);
