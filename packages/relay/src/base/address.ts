import { domainToASCII } from 'node:url';
import { letter, mark, number } from './unicode.ts';

/**
 * A bare address as every mail server takes it, with the domain in Punycode; `undefined` for anything else: a server
 * that finds one malformed recipient refuses the mail for all of them.
 *
 * Before the `@` it is an RFC 5321 dot-string, so it needs no quoting in an envelope or a header. Mailboxes with other
 * letters there (RFC 6531) are not supported: most servers refuse them (D35).
 */
export function parseAddress(text: string): string | undefined {
  const [local = '', domain = '', ...rest] = text.split('@');
  if (rest.length > 0 || local.length > 64 || !localPart.test(local)) return undefined;
  const host = hostName(domain);
  if (host === undefined) return undefined;
  const address = `${local}@${host}`;
  return address.length > 254 ? undefined : address;
}

/**
 * An address that a visitor had a hand in. Some servers read `victim%stranger.example@firm.example` and
 * `stranger.example!victim@firm.example` as orders to pass the mail on (D64). Other routes have an `@`, a `:` or quotes
 * before the last `@`, and are no addresses to `parseAddress` either.
 */
export const parseSubmittedAddress = (text: string): string | undefined =>
  /[%!]/.test(text) ? undefined : parseAddress(text);

/** A dot-string without a hyphen at its start, which Postfix refuses: a program might take it for an option. */
const localPart = /^(?!-)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** A host's name in ASCII. `undefined` for what the DNS cannot know, such as a number, which would be an IP address. */
export function hostName(domain: string): string | undefined {
  // `domainToASCII` says nothing new of such names.
  if (plainName.test(domain) && !domain.includes('xn--')) return domain;
  if (!asciiDomain.test(domain) && !anyDomain().test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return labels.test(ascii) ? ascii : undefined;
}

const asciiDomain = /^[a-z\d.-]+$/i;
const anyDomain = () => new RegExp(`^[${letter}${number}${mark}.-]+$`, 'u');

const plainName = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]{1,63}$/;

/** Of 1 to 63 characters, with no hyphen at either end (RFC 1123, 2.1). The last is not a number. */
const labels = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;

/** Who a mail is from: the address alone, also where a name stands before it. */
export function bareAddress(sender: string): string {
  const [, named = sender] = /<([^<>]*)>$/.exec(sender) ?? [];
  return parseAddress(named) ?? named;
}

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();
