/**
 * Envelope senders that say which mail came back: `bounces+<token>@example.com` (VERP). A token holds the hash of the visitor's
 * address, or the output's place, with a keyed hash of all of it, so that nothing has to be stored, and nobody else can make one.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Bounces, Recipient } from '../../base/bounces.ts';
import type { Outgoing } from '../../form.ts';
import { hashLength, hashOf, keyOf } from './addresses.ts';
import { isSame } from './secure.ts';

const hourMs = 3_600_000;

/** Servers give up after a week at most. */
const mostHours = 30 * 24;

const hoursLength = 4;
const macLength = 16;

/** The form, for those who have the config: names may be long. */
export const formMark = (formId: string): string =>
  createHash('sha256').update(formId).digest('hex').slice(0, 6);

/** `v` or `o`, the hash or place, the form, the hour, and the keyed hash: 47 characters. */
const shape = /^([vo])([0-9a-f]{20})([0-9a-f]{6})([0-9a-z]{4})([0-9a-f]{16})$/;

export const tokenLength = 1 + hashLength + 6 + hoursLength + macLength;

const macOf = (secret: string, signed: string): string =>
  createHmac('sha256', keyOf(secret, 'return path')).update(signed).digest('hex').slice(0, macLength);

export function tokenFor(secret: string, formId: string, to: number | string, now: number): string {
  const what =
    typeof to === 'number' ? `o${to.toString(16).padStart(hashLength, '0')}` : `v${hashOf(secret, to)}`;
  const hours = Math.floor(now / hourMs)
    .toString(36)
    .padStart(hoursLength, '0');
  const signed = `${what}${formMark(formId)}${hours}`;
  return signed + macOf(secret, signed);
}

interface Sent {
  readonly to: Extract<Recipient, { formMark: string }>;
  /** The end of the hour in which it was sent, in milliseconds since the epoch. */
  readonly sentBefore: number;
}

/** `undefined`: it was not made here, or long ago. */
export function readToken(secret: string, token: string, now: number): Sent | undefined {
  const [, kind, what = '', mark = '', hours = '', mac = ''] = shape.exec(token) ?? [];
  if (kind === undefined || secret === '' || !isSame(mac, macOf(secret, token.slice(0, -macLength))))
    return undefined;
  const sentAt = Number.parseInt(hours, 36) * hourMs;
  const age = Math.floor((now - sentAt) / hourMs);
  if (age > mostHours || age < -1) return undefined;
  return {
    sentBefore: sentAt + hourMs,
    to:
      kind === 'v'
        ? { hash: what, formMark: mark }
        : { output: Number.parseInt(what, 16), formMark: mark, reported: undefined },
  };
}

/** Sets the envelope sender of a mail that an SMTP server carries. */
export function withReturnPath(
  message: Parameters<Outgoing>[0],
  { smtp, secret, formId, to, now }: Parameters<Outgoing>[1] & Pick<Bounces, 'smtp'>,
): ReturnType<Outgoing> {
  if (!smtp || message.via !== 'smtp' || secret === '') return message;
  const { local, domain } = partsOf(smtp.address);
  const returnPath = `${local}+${tokenFor(secret, formId, to, now)}@${domain}`;
  // The same message, which a dry run knows again.
  return Object.assign(message, { returnPath });
}

export function partsOf(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  return { local: address.slice(0, at), domain: address.slice(at + 1) };
}
