import { domainToASCII } from 'node:url';
import { letter, mark, number } from './unicode.ts';

/**
 * A bare address as every mail server takes it, with the domain in Punycode; `undefined` for anything else. Before the
 * `@` it is an RFC 5321 dot-string, so it needs no quoting in an envelope or a header. Mailboxes with other letters
 * there (RFC 6531) are not supported: most servers refuse them, and with them the whole message.
 */
export function parseAddress(text: string): string | undefined {
  const [local = '', domain = '', ...rest] = text.split('@');
  const isDotString =
    /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local) && local.length <= 64;
  const isDomain = (asciiDomain.test(domain) || anyDomain().test(domain)) && !domain.includes('..');
  if (rest.length > 0 || !isDotString || !isDomain) return undefined;
  const address = plainDomain.test(domain) ? text : `${local}@${domainToASCII(domain)}`;
  return address.endsWith('@') || address.length > 254 ? undefined : address;
}

/** What `domainToASCII` leaves as it is, and takes five times as long to find out: no Punycode, no number at the end. */
const plainDomain = /^(?!.*xn--)[a-z\d.-]+\.[a-z]+$/;

const asciiDomain = /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i;
const anyDomain = () =>
  new RegExp(`^[${letter}${number}]([${letter}${number}${mark}.-]*[${letter}${number}${mark}])?$`, 'u');
