/**
 * Canonical values: conditions, comparisons, `once` and codes compare the canonical forms of values. The
 * relay and the script of its forms share this file.
 */
import { asciiDigits, asciiNumber, floatIn, letter, mark, numberSign, visible } from './unicode.ts';
import { parseUrl } from './url.ts';

/** How the values of a field compare. `relay`: the field itself decides, so the script has to ask the relay. */
export type Kind = 'text' | 'number' | 'date' | 'time' | 'datetime' | 'email' | 'country' | 'relay';

/** Longer values are refused anyway, so they stay as they are: composing their letters could take long. */
const mostCharacters = 10_000;

/** Composes letters (UAX 15), writes each line break as a line feed, and drops invisible characters. */
export const plainText = (text: string): string =>
  text.length > mostCharacters ? text : visible(text.replace(/\r\n?/g, '\n')).normalize();

/** Text for comparisons, without spaces at its ends. Only empty text becomes empty, because that counts as missing. */
export const canonicalText = (text: string): string => plainText(text).trim() || text;

/** The same text for all spellings of a value of this kind. */
export function canonical(kind: Kind | undefined, text: string): string {
  const plain = canonicalText(text);
  const meant = text.length <= mostCharacters && kind && read[kind]?.(plain);
  // A reader may leave letters to compose, or spaces at an end.
  return meant ? canonicalText(meant) : plain;
}

/** Readers of plain text, by kind. `undefined` or empty if the text is not of that kind. */
const read: Partial<Record<Kind, (plain: string) => string | undefined>> = {
  number: (plain) => {
    const typed = asciiNumber(plain);
    const number = floatIn(typed);
    // A number with more digits than a floating-point number holds, such as an id, stays as it is.
    return Number.isNaN(number) || /^\D*(\d\D*){16}/.test(typed) ? typed : String(number);
  },
  date: asciiDigits,
  time: (plain) => {
    const at = readTime(plain);
    return at === undefined ? at : writeTime(at);
  },
  datetime: (plain) => {
    // Outputs get the value with its offset.
    const at = readMoment(plain.replace(/[+-]\d\d:\d\d$/, ''));
    return at === undefined ? at : writeMoment(at);
  },
  email: sameAddress,
  country: (plain) => (/^[a-z]{2}$/i.test(plain) ? plain.toUpperCase() : plain),
};

// Times as people type them, and as browsers send them. The relay and the script of its forms share this file.

/** Seconds since midnight: `9:05`, `09:05:30`, `9.05`, `9h05`, `2:30 pm`. `undefined` if the text is not a time. */
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

/** Seconds since 1970, read as UTC: a day, and a time as in `readTime`. */
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

// Decides which spellings mean the same address, wherever addresses are compared. This part imports nothing
// from Node, because the inbox's page compares addresses, too.

/** The texts that a field of type `email` accepts as addresses. */
export const addressForm = /^[^@]+@[^@]+$/;

/**
 * The canonical spelling of an address, for comparing or hashing it. For `Ada <ada@example.org>`, uses the address
 * alone. Ignores case, composed letters, needless quotes, Punycode, and a dot at the end of the domain.
 */
export function sameAddress(text: string): string {
  const plain = undotted(comparable(text).trim());
  const address = (/^[^<>]*<([^<>]*)>$/.exec(plain)?.[1] ?? plain)
    .trim()
    .replace(/^"([^\s"\\(),:;<>@[\].]+(?:\.[^\s"\\(),:;<>@[\].]+)*)"@/, '$1@');
  return undotted(address);
}

const undotted = (address: string): string =>
  /^[^@]*@.*[^.]\.$/s.test(address) ? address.slice(0, -1) : address;

/** A text with each address in it spelled as `sameAddress` spells it, except for quotes. */
export const comparable = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKC')
        .toLowerCase()
        .normalize('NFKC')
        .replaceAll(domains(), (_, domain: string) => `@${inAscii(domain)}`);

const inAscii = (domain: string): string =>
  isAscii(domain) ? domain : (parseUrl(`http://${domain}`)?.hostname ?? domain);

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const part = `[${letter}${numberSign}${mark}]`;
const domains = () => new RegExp(`@(${part}(?:[.-]*${part})*)`, 'gu');
