import { domainToASCII } from 'node:url';

/** A sender or recipient: a bare, valid address (`a@b.example`), or one with a display name. */
export type Mailbox = string | { readonly name: string; readonly address: string };

/**
 * Normalizes a bare address, with the domain in Punycode. `undefined` for an address that servers may refuse, and
 * with it the mail to every recipient. The local part is a dot-string (RFC 5321) in ASCII, which needs no quotes.
 */
export function parseAddress(text: string): string | undefined {
  const [local = '', domain = '', ...rest] = text.split('@');
  if (rest.length > 0 || local.length > 64 || !localPart.test(local)) return undefined;
  const host = hostName(domain);
  if (host === undefined) return undefined;
  const address = `${local}@${host}`;
  return address.length > 254 ? undefined : address;
}

/** Like `parseAddress`, for recipients: the local part may hold letters of any language, which few servers accept (RFC 6531). */
export function parseRecipient(text: string): string | undefined {
  const at = Math.max(text.indexOf('@'), 0);
  if (!needsUtf8(text.slice(0, at))) return parseAddress(text);
  // Normalize before the replacement, because NFC turns a few signs into ASCII.
  const local = text.slice(0, at).normalize('NFC');
  // An atom may contain non-ASCII characters like ASCII letters (RFC 6532, 3.2).
  const plain = parseAddress(local.replaceAll(beyondAscii(), 'x') + text.slice(at));
  if (plain === undefined) return undefined;
  const address = local + plain.slice(plain.indexOf('@'));
  const isLong = Buffer.byteLength(address) > 254 || Buffer.byteLength(local) > 64;
  return isLong ? undefined : address;
}

export const needsUtf8 = (address: string): boolean => /[^\0-\x7f]/.test(address);

/** Any character beyond ASCII except control, unassigned, and space characters. */
const beyondAscii = () => /[^\0-\x7f\p{C}\p{Z}]/gu;

/**
 * Like `parseRecipient`, for submitted values: some servers relay `victim%stranger.example@firm.example` and
 * `stranger.example!victim@firm.example`.
 */
export const parseSubmittedAddress = (text: string): string | undefined =>
  /[%!]/.test(text) ? undefined : parseRecipient(text);

/**
 * A dot-string without a leading hyphen: Postfix refuses a leading hyphen, because a program could mistake
 * the address for an option.
 */
const localPart = /^(?!-)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** A host name in ASCII; `undefined` if it cannot be a DNS name. A number, for example, would be an IP address. */
export function hostName(domain: string): string | undefined {
  // `domainToASCII` returns these unchanged.
  if (plainName.test(domain) && !domain.includes('xn--')) return domain;
  if (!asciiDomain.test(domain) && !anyDomain().test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return labels.test(ascii) ? ascii : undefined;
}

const asciiDomain = /^[a-z\d.-]+$/i;
const anyDomain = () => /^[\p{L}\p{N}\p{M}.-]+$/u;

const plainName = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]{1,63}$/;

/** Labels of 1 to 63 characters without a hyphen at either end (RFC 1123, 2.1). The last one is not a number. */
const labels = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;

/** The bare address of a sender, with or without a display name. */
export function bareAddress(sender: string): string {
  const [, named = sender] = /<([^<>]*)>$/.exec(sender) ?? [];
  return parseAddress(named) ?? named;
}

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

export const addressOf = (mailbox: Mailbox): string =>
  typeof mailbox === 'string' ? mailbox : mailbox.address;

/** Formats a mailbox by RFC 5322; quotes the name if it needs quotes. */
export function mailboxText(mailbox: Mailbox): string {
  if (typeof mailbox === 'string') return mailbox;
  const { name, address } = mailbox;
  const isPlain = /^[^"(),:;<>@[\\\]]*$/.test(name);
  return `${isPlain ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`} <${address}>`;
}

/** Parses `a@b.example`, `Anna <a@b.example>` or `"Berg, Anna" <a@b.example>`; `undefined` for anything else. */
export const parseMailbox = (text: string): Mailbox | undefined => mailboxIn(text, parseRecipient);

/** Like `parseMailbox`, for senders, whose address is ASCII. */
export const parseSender = (text: string): Mailbox | undefined => mailboxIn(text, parseAddress);

function mailboxIn(text: string, parse: typeof parseAddress): Mailbox | undefined {
  const [, quoted, bare = '', inBrackets] =
    /^\s*(?:"((?:[^"\\]|\\.)*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/s.exec(text) ?? [];
  const address = parse((inBrackets ?? text).trim());
  if (address === undefined) return undefined;
  const name = (quoted?.replaceAll(/\\(.)/gs, '$1') ?? bare).trim();
  // Mail programs would show a line break in the name, and owners cannot read an encoded word in their config.
  if (/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(name) || name.includes('=?')) return undefined;
  return name === '' ? address : { name, address };
}

/** Splits a list at commas outside quotes; drops blank parts. */
export function mailboxParts(text: string): readonly string[] {
  if (!text.includes('"')) return nonBlank(text.split(','));
  return nonBlank(text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/gs) ?? []);
}

const nonBlank = (parts: readonly string[]) => parts.map((part) => part.trim()).filter((part) => part !== '');

/** The mailbox in a text that was checked before: an address, optionally with a name before it. */
export function checkedMailbox(text: string): Mailbox {
  const address = bareAddress(text);
  const [, before = ''] = /^([^<>]*)</.exec(text) ?? [];
  // Other programs quote the name.
  const name = before
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim();
  return name === '' ? address : { name, address };
}
