/**
 * The one value that decides: conditions, comparisons, `once` and codes compare what this gives. The relay and the script of its forms
 * share this file.
 */
import { asciiDigits, asciiNumber, floatIn, visible } from './digits.ts';
import { readMoment, readTime, writeMoment, writeTime } from './moments.ts';
import { sameAddress } from './same_address.ts';

/** How the values of a field compare. `relay`: as the field itself says, so that the script has to ask the relay. */
export type Kind = 'text' | 'number' | 'date' | 'time' | 'datetime' | 'email' | 'country' | 'relay';

/** Longer values are refused, so nothing depends on them; composing letters could take long. */
const mostCharacters = 10_000;

/** With composed letters (UAX 15), a line feed for each line break, and nothing that cannot be seen. */
export const plainText = (text: string): string =>
  text.length > mostCharacters ? text : visible(text).normalize().replace(/\r\n?/g, '\n');

/** Text as it compares, without spaces at its ends. Only empty text becomes empty, which is no answer. */
export const canonicalText = (text: string): string => plainText(text).trim() || text;

/** The same for all spellings that mean one value of a field of this kind. */
export function canonical(kind: Kind | undefined, text: string): string {
  const plain = canonicalText(text);
  return (text.length <= mostCharacters && kind && read[kind]?.(plain)) || plain;
}

/** By kind, from plain text; `undefined` or empty if it is none of that kind. */
const read: Partial<Record<Kind, (plain: string) => string | undefined>> = {
  number: (plain) => {
    const typed = asciiNumber(plain);
    const number = floatIn(typed);
    // More digits than floating-point numbers tell apart, such as those of an id, stay as they are.
    return Number.isNaN(number) || /^\D*(\d\D*){16}/.test(typed) ? typed : String(number);
  },
  date: asciiDigits,
  time: (plain) => {
    const at = readTime(plain);
    return at === undefined ? at : writeTime(at);
  },
  datetime: (plain) => {
    // Outputs get it with its offset.
    const at = readMoment(plain.replace(/[+-]\d\d:\d\d$/, ''));
    return at === undefined ? at : writeMoment(at);
  },
  email: sameAddress,
  country: (plain) => (/^[a-z]{2}$/i.test(plain) ? plain.toUpperCase() : plain),
};
