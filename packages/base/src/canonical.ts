/**
 * The one value that decides: conditions, comparisons, `once` and codes compare what this gives. The relay and the script of its forms
 * share this file.
 */
import { asciiDigits, asciiNumber, floatIn, letter, mark, numberSign, visible } from './unicode.ts';
import { parseUrl } from './url.ts';

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

// Times as people type them, and as browsers send them. The relay and the script of its forms share this file.

/** Seconds since midnight: `9:05`, `09:05:30`, `9.05`, `9h05`, `2:30 pm`. `undefined` if the text is no time. */
export function readTime(text: string): number | undefined {
  const found = /^(\d{1,2})[:.h](\d\d)(?:[:.](\d\d))?(?: ?([ap])\.?m\.?)?$/i.exec(asciiDigits(text).trim());
  if (!found) return undefined;
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map((part) => Number(part ?? 0));
  const half = found[4]?.toLowerCase();
  if (minute > 59 || second > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return undefined;
  const full = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour;
  return full * 3600 + minute * 60 + second;
}

export const writeTime = (at: number): string =>
  new Date(at * 1000).toISOString().slice(11, at % 60 === 0 ? 16 : 19);

/** Seconds since 1970, as if it were UTC: a day, and a time as above. */
export function readMoment(text: string): number | undefined {
  const [, day = '', rest = ''] = /^(\d{4}-\d\d-\d\d)(?:[Tt]|,? +)(.+)$/.exec(asciiDigits(text).trim()) ?? [];
  const seconds = readTime(rest);
  if (seconds === undefined || !isRealDay(day)) return undefined;
  return Date.parse(`${day}T00:00:00Z`) / 1000 + seconds;
}

/** `2030-12-31T14:30`. */
export const writeMoment = (at: number): string => `${dayOf(at)}T${writeTime(secondsOfDay(at))}`;

/** `2030-12-31`. */
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

const daySeconds = 86_400;
const secondsOfDay = (at: number): number => ((at % daySeconds) + daySeconds) % daySeconds;

/** Whether a day exists, written `2030-12-31`. */
export function isRealDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

// Which spellings mean one address, wherever addresses are compared. Imports nothing from Node, because the inbox's
// page compares addresses, too.

/** The texts that a field of type `email` accepts as addresses. */
export const addressForm = /^[^@]+@[^@]+$/;

/**
 * The one spelling of an address that stands for all others, to compare it or to hash it. `Ada <ada@example.org>` is
 * the address in it. Ignores case, composed letters, needless quotes, Punycode, and a dot at the end of the domain.
 */
export function sameAddress(text: string): string {
  const plain = comparable(text).trim();
  const address = (/^[^<>]*<([^<>]*)>$/.exec(plain)?.[1] ?? plain)
    .trim()
    .replace(/^"([^\s"\\(),:;<>@[\].]+(?:\.[^\s"\\(),:;<>@[\].]+)*)"@/, '$1@');
  return /^[^@]*@.*[^.]\.$/s.test(address) ? address.slice(0, -1) : address;
}

/** A text in which each address that it mentions is spelled as `sameAddress` spells it, but for quotes. */
export const comparable = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(domains(), (_, domain: string) => `@${inAscii(domain)}`);

const inAscii = (domain: string): string =>
  isAscii(domain) ? domain : (parseUrl(`http://${domain}`)?.hostname ?? domain);

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const part = `[${letter}${numberSign}${mark}]`;
const domains = () => new RegExp(`@(${part}(?:[.-]*${part})*)`, 'gu');
