import { parseAddress } from './address.ts';
import type { Mailbox } from './effects.ts';

/** The address alone. */
export const addressOf = (mailbox: Mailbox): string =>
  typeof mailbox === 'string' ? mailbox : mailbox.address;

/** A mailbox as RFC 5322 writes it: with the name in quotes where it would mean something else without. */
export function mailboxText(mailbox: Mailbox): string {
  if (typeof mailbox === 'string') return mailbox;
  const { name, address } = mailbox;
  const isPlain = /^[^"(),:;<>@[\\\]]*$/.test(name);
  return `${isPlain ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`} <${address}>`;
}

/** As people write it: `a@b.example`, `Anna <a@b.example>` or `"Berg, Anna" <a@b.example>`; `undefined` for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, bare = '', inBrackets] =
    /^\s*(?:"((?:[^"\\]|\\.)*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/s.exec(text) ?? [];
  const address = parseAddress((inBrackets ?? text).trim());
  if (address === undefined) return undefined;
  const name = (quoted?.replaceAll(/\\(.)/gs, '$1') ?? bare).trim();
  // A line break in a name would be shown in it, and an encoded word says what its owner cannot read here.
  if (/[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(name) || name.includes('=?')) return undefined;
  return name === '' ? address : { name, address };
}

/** The parts between the commas, except those in quotes; blank ones are left out. */
export function mailboxParts(text: string): readonly string[] {
  if (!text.includes('"')) return nonBlank(text.split(','));
  return nonBlank(text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/gs) ?? []);
}

const nonBlank = (parts: readonly string[]) => parts.map((part) => part.trim()).filter((part) => part !== '');

/** Longer ones are no names. */
const longestName = 100;

/** A name that visitors wrote, before an address: one line, in which nothing is an encoded word or turns the direction. */
export const submittedName = (text: string): string =>
  text
    .replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .replaceAll('=?', '= ?')
    .replaceAll(/[<>"\\]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, longestName)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
