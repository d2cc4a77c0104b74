/** The shape of a provider that reports mails that came back. One file each, listed in index.ts. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Properties, Services } from '@form-relay/core/index';
import { isMap, required, secretVariable } from '@form-relay/core/kit';
import type { SignedToken } from '../used_tokens.ts';

/** `hard`: the address takes no mail. */
export type BounceKind = 'hard' | 'complaint';

/** A provider's report about one mail to one address. */
export interface MailEvent {
  /** The same if it is reported again. */
  readonly id: string;
  readonly kind: BounceKind;
  readonly recipient: Recipient;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  /** An enhanced status code (RFC 3463). */
  readonly code?: string | undefined;
  /** The request id of the submission, as far as the mail's `Message-ID` tells. */
  readonly requestId?: string | undefined;
}

/** `kind`: `undefined` for an event that says nothing of an address. */
export type Reported = Omit<MailEvent, 'kind'> & { readonly kind: BounceKind | undefined };

/** An address; or several, of which the provider does not say which one it was. */
type Recipient = { readonly address: string } | { readonly oneOf: readonly string[] };

export interface Provider {
  readonly summary: string;
  readonly keys: Properties;
  readonly example: string;
  /** The key that names the environment variable with the secret. */
  readonly secretKey?: string;
  /** Checks that a request comes from the provider, before anything in it counts. Rejects with a `ClientError` if a server that it asks fails. */
  receive(post: Post): Received | Promise<Received>;
}

export type Settings = Readonly<Record<string, unknown>>;

interface Post {
  readonly settings: Settings;
  /** Empty for a provider without `secretKey`. */
  readonly secret: string;
  readonly body: Buffer;
  /** The body; `undefined` if it is no JSON. */
  readonly json: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  readonly services: Pick<Services, 'now' | 'http'>;
}

/** A provider whose only key names the variable with its secret. */
export const withSecret = (secretKey: string, doc: string, variable: string) => ({
  keys: { [secretKey]: required(doc, secretVariable()) },
  example: `{${secretKey}: ${variable}}`,
  secretKey,
});

export type Received =
  /** `signed`: all that the signature covers, if that is not the events. */
  | { readonly kind: 'events'; readonly events: readonly MailEvent[]; readonly signed?: SignedToken }
  /** Amazon SNS sends events from now on, or no longer. */
  | { readonly kind: 'subscribed' | 'unsubscribed'; readonly topic: string }
  | { readonly kind: 'refused'; readonly reason: RefusedReason };

/** A mail has 50 at most. */
export const mostRecipients = 50;

/** Why a request was refused, for the owner. */
export type RefusedReason = keyof typeof refusedWords;

export const refusedWords = {
  unset: 'the environment variable with the secret is not set, or holds something else',
  unsigned: 'it has no signature or password',
  forged: 'the signature or password is wrong',
  malformed: 'it cannot be read',
  stale: 'its time is too long ago, or to come',
  repeated: 'its token was used before, for another event',
  foreign_topic: 'its topic is not in the config',
  foreign_certificate: 'its certificate is not from Amazon SNS',
  foreign_subscription: 'its confirmation leads to another address than that of Amazon SNS',
} as const;

export const refused = (reason: RefusedReason): Received => ({ kind: 'refused', reason });
export const reported = (events: readonly Reported[]): Extract<Received, { kind: 'events' }> => ({
  kind: 'events',
  events: events.filter((one): one is MailEvent => one.kind !== undefined),
});

// Reads JSON that a provider sent: anything may be missing, or of another type.

export type Json = Readonly<Record<string, unknown>>;

export const mapOf = (found: unknown): Json => (isMap(found) ? found : {});
export const listOf = (found: unknown): readonly unknown[] => (Array.isArray(found) ? found : []);
export const textOf = (found: unknown): string =>
  typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';

/** ISO 8601 or seconds, in milliseconds. One to come counts as now: it would outlive other entries of the list. */
export function timeOf(found: unknown, now: number): number {
  const at = typeof found === 'string' && /\D/.test(found) ? Date.parse(found) : Number(found) * 1_000;
  return Number.isFinite(at) && at > 0 ? Math.min(at, now) : now;
}

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();

/** Takes as long whatever the texts are. */
export const isSame = (one: string | Buffer, other: string | Buffer): boolean =>
  timingSafeEqual(digest(one), digest(other));

const minuteMs = 60_000;

/** Providers repeat a request for up to a day, some with the time of the first. */
const oldestMs = 25 * 60 * minuteMs;
const aheadMs = 15 * minuteMs;

/** @param at In milliseconds since the epoch; `NaN` is too old. */
export const isTimely = (at: number, now: number, mostMs = oldestMs): boolean =>
  at <= now + aheadMs && now - at <= mostMs;

/** Whole seconds, as providers write them. `Number` reads other notations too, which would move where a signed text is split. */
export const isSeconds = (text: string): boolean => /^\d{10}$/.test(text);

// Reads what an enhanced status code says of an address (RFC 3463; IANA, SMTP Enhanced Status Codes).

/** No such mailbox or domain (5.4.4: Postfix), moved, disabled, or taking no mail at all (RFC 7505). */
const hardCode = /^5\.(1\.(1|2|3|6|10)|2\.1|4\.4)$/;

/** Not the address is to blame: a full mailbox, a mail that is too large, policy and security. */
const notTheAddress = /^(4\.|5\.(2\.[23]|3\.4|7\.))/;

/** @param saysHard Whether the provider says so, whose word counts unless the code says more. */
export const kindOf = (saysHard: boolean, code = ''): 'hard' | undefined =>
  hardCode.test(code) || (saysHard && !notTheAddress.test(code)) ? 'hard' : undefined;

/** The first enhanced status code of the texts; a vague one, such as 5.0.0, only if no other is there. */
export function codeIn(...texts: readonly unknown[]): string | undefined {
  const codes = texts.flatMap((text) =>
    typeof text === 'string' ? (firstCode.exec(text.slice(0, 1_000)) ?? []) : [],
  );
  return codes.find((code) => !/^\d\.0\.0$/.test(code)) ?? codes[0];
}

const firstCode = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/;

/** The request id in a `Message-ID` of the relay's own (`<id>-<place>@…`). */
export const requestIdIn = (messageId: unknown): string | undefined =>
  typeof messageId === 'string'
    ? /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[a-z\d-]{1,40}@/.exec(messageId.trim())?.[1]
    : undefined;
