/**
 * Which spellings mean one address, wherever addresses are compared. Imports nothing from Node, because the inbox's
 * page compares addresses, too.
 */
import { letter, mark, numberSign } from './unicode.ts';
import { parseUrl } from './url.ts';

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
