/** The shape of a provider that reports mails that came back. One file each, listed in index.ts. */
import type * as v from 'valibot';
import type { MailEvent } from '../../../base/bounces.ts';
import type { Effects } from '../../../base/effects.ts';
import type { SignedToken } from '../used_tokens.ts';

export interface Provider<S = never> {
  /** The documentation of its block of keys. */
  readonly summary: string;
  readonly keys: v.ObjectEntries;
  readonly example: string;
  /** The names of keys that hold the name of an environment variable. */
  readonly variables: readonly (keyof S & string)[];
  /**
   * An event that means nothing, as the provider would send it; `undefined` where a secret is not set. Absent where nobody else can
   * sign one.
   */
  probe?(
    given: Pick<Post<S>, 'settings'> & { readonly effects: Pick<Effects, 'now' | 'env'> },
  ): Probe | undefined;
  /** Checks that a request comes from the provider, before anything in it counts. Rejects with a `ClientError` if a server that it asks fails. */
  receive(post: Post<S>): Received | Promise<Received>;
}

/** A request of a provider. */
export interface Post<S> {
  readonly settings: S;
  /** As sent. */
  readonly body: Buffer;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly effects: Pick<Effects, 'now' | 'env' | 'http'>;
}

export interface Probe {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Received =
  /** `signed`: all that the signature covers, if that is not the events. */
  | { readonly kind: 'events'; readonly events: readonly MailEvent[]; readonly signed?: SignedToken }
  /** Amazon SNS sends events from now on, or no longer. */
  | { readonly kind: 'subscribed' | 'unsubscribed'; readonly topic: string }
  | { readonly kind: 'refused'; readonly reason: RefusedReason };

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
