import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { PersonRight, Right } from '../api.ts';
import type { Failure } from './provider.ts';

/** The rights that a config gives to somebody. */
interface Rights {
  /** The forms that the person may read; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  /** Whether the person says who may use the inbox, which is all the rest, too. */
  readonly mayManage: boolean;
  /** The same for the same rights. */
  readonly print: string;
}

interface Entry {
  readonly email?: string | undefined;
  readonly group?: string | undefined;
  readonly may: readonly PersonRight[];
  readonly forms?: readonly string[] | undefined;
}

/** The rights of all entries that mean this person, by an address that the provider verified, together; `undefined` if there is none to read. */
export function rightsOf(
  people: readonly Entry[],
  { email, groups }: { readonly email: string | undefined; readonly groups: readonly string[] },
): Rights | undefined {
  const address = email && lowerCase(email);
  const own = people.filter(
    (entry) =>
      (entry.email !== undefined && lowerCase(entry.email) === address) ||
      (entry.group !== undefined && groups.includes(entry.group)),
  );
  const mayManage = own.some(({ may }) => may.includes('manage'));
  const has = (right: Right, form: string) =>
    mayManage || own.some(({ may, forms }) => may.includes(right) && (forms?.includes(form) ?? true));
  const reading = own.filter(({ may }) => may.includes('read') || may.includes('manage'));
  if (reading.length === 0) return undefined;
  return {
    mayManage,
    print: JSON.stringify(own.map(({ may, forms }) => [may, forms])),
    forms: reading.some(({ forms, may }) => !forms || may.includes('manage'))
      ? undefined
      : new Set(reading.flatMap(({ forms = [] }) => forms)),
    may: (right, form) => has('read', form) && has(right, form),
  };
}

/** Changes only ASCII: `toLowerCase` would turn the Kelvin sign into a `k`, and another address into this one. */
export const lowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Why somebody cannot sign in, for that person. */
export interface Refusal {
  readonly status: number;
  /** Default: `Inbox`. */
  readonly title?: string;
  readonly words: string;
}

/** @param provider Its host. */
export const refusalOf = (failure: Failure, provider: string): Refusal =>
  ({
    provider_down: {
      status: 503,
      words: `${provider} does not respond, so signing in is not possible at the moment. People who are signed in can continue. Try again in a minute.`,
    },
    secret_missing: {
      status: 503,
      words:
        'The inbox has no client secret, so signing in is not possible. The log names the missing variable.',
    },
    client_refused: {
      status: 503,
      words: `${provider} does not accept the inbox's client id and secret. Compare them with the values at the provider.`,
    },
    denied: { status: 403, words: `${provider} did not let you sign in, or you cancelled it.` },
    code_refused: {
      status: 403,
      words: `${provider} no longer accepts this sign-in: it was already used, or took too long. Sign in again.`,
    },
    not_accepted: {
      status: 403,
      words: `The response from ${provider} does not belong to this sign-in, so it was rejected. Sign in again.`,
    },
    other_domain: { status: 403, words: 'This account does not belong to the organisation of this inbox.' },
  })[failure];

export type LinkFailure = 'elsewhere' | 'used' | 'old' | 'unknown';

export const linkFailures: Readonly<Record<LinkFailure, Refusal>> = {
  elsewhere: {
    status: 403,
    title: 'This link belongs to another browser',
    words: 'Open it in the browser in which you requested it, or request a new one here.',
  },
  used: {
    status: 410,
    title: 'This link was already used',
    words: 'Each link works once. Request a new one.',
  },
  old: {
    status: 410,
    title: 'This link has expired',
    words: 'Links work for 15 minutes. Request a new one.',
  },
  unknown: {
    status: 404,
    title: 'This is not a sign-in link',
    words: 'Part of the address may be missing, or the link is weeks old. Request a new one.',
  },
};

export const removed = (email: string): Refusal => ({
  status: 403,
  title: 'You cannot sign in',
  words: `${email} no longer has access to this inbox. A manager of the inbox can invite you again.`,
});

export const noWay: Refusal = {
  status: 401,
  words:
    'Signing in does not work: no form has an output that sends mails, so the inbox cannot send links. Add one to the config.',
};

export const notBegun: Refusal = {
  status: 400,
  words:
    'This sign-in was started in another browser or more than 10 minutes ago, or another tab started a newer one. Sign in again.',
};

export const tooMany: Refusal = {
  status: 429,
  words: 'Too many sign-ins were attempted from this network. Try again in a minute.',
};

export const busy: Refusal = {
  status: 429,
  words: 'Too many people are signing in at the moment. Try again in a few seconds.',
};

export const wrongHost: Refusal = {
  status: 403,
  words: 'The inbox does not serve this host name; use the address in its config.',
};

export const forged: Refusal = {
  status: 403,
  words: 'This request came from another site, so it was rejected.',
};

export const turnedOff: Refusal = { status: 503, words: 'The config no longer has an inbox.' };

/** @param name As the provider calls the person. */
export const stranger = (name: string, isVerified: boolean, hasGroupsLeftOut: boolean): Refusal => ({
  status: 403,
  words: `${name} may not use this inbox. Somebody who manages it can invite you.${
    isVerified ? '' : ' The provider did not verify your address, so rights by address do not apply.'
  }${hasGroupsLeftOut ? ' You are in so many groups that the provider left them out, so rights by group do not apply.' : ''}`,
});

/** Somebody as the provider describes them. */
export interface Identity {
  readonly issuer: string;
  /** Hash of issuer and subject, which stay the same when an address moves to somebody else. */
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** For the page and the audit log. */
  readonly name: string;
  /** Microsoft leaves the groups out if there are more than 200. */
  readonly hasGroupsLeftOut: boolean;
  /** Ends the session at the provider. */
  readonly idToken: string;
}

export type Claims = Readonly<Record<string, unknown>>;

type Rules = Pick<NonNullable<InboxSettings['sign_in']>, 'hosted_domain' | 'groups_claim' | 'verified_claim'>;

/** More are ignored: no token of a sane provider has as many. */
const mostGroups = 10_000;

/** Stands for the provider of people who signed in with a link. */
export const byMail = 'mail';

/** Somebody who opened a link that went to their address. */
export const identityOfMail = (email: string): Identity => ({
  issuer: byMail,
  subject: createHash('sha256').update(`${byMail}\0${email}`).digest('hex').slice(0, 16),
  email,
  groups: [],
  name: email,
  hasGroupsLeftOut: false,
  idToken: '',
});

/** @param more Claims of the userinfo endpoint, for what the ID token lacks. */
export function identityOf(
  { token, more, idToken }: { readonly token: Claims; readonly more: Claims; readonly idToken: string },
  { hosted_domain, groups_claim, verified_claim }: Rules,
): Result<Identity, 'other_domain'> {
  if (hosted_domain !== undefined && lowerCase(textOf(token.hd)) !== lowerCase(hosted_domain)) {
    return err('other_domain');
  }
  // An address and the word for it come from one source.
  const source = typeof token.email === 'string' ? token : more;
  const email = isVerified(source, verified_claim) ? textOf(source.email) : '';
  const groups = own(token, groups_claim) ?? own(more, groups_claim);
  const issuer = textOf(token.iss);
  return ok({
    issuer,
    subject: createHash('sha256')
      .update(`${issuer}\0${textOf(token.sub)}`)
      .digest('hex')
      .slice(0, 16),
    email: email || undefined,
    groups: Array.isArray(groups) ? groups.slice(0, mostGroups).filter((one) => typeof one === 'string') : [],
    name:
      email ||
      `${printable(textOf(token.preferred_username ?? token.name)) || 'somebody'} (address not verified)`,
    hasGroupsLeftOut: own(token, '_claim_names') !== undefined,
    idToken,
  });
}

/** Microsoft writes `xms_edov` in several ways. */
const isVerified = (claims: Claims, claim: Rules['verified_claim']): boolean =>
  claim === 'email_verified'
    ? claims.email_verified === true
    : [true, 1, '1', 'true'].includes(claims.xms_edov as string);

/** A claim can have the name of a method of all objects. */
const own = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

const textOf = (claim: unknown): string => (typeof claim === 'string' && claim.length <= 254 ? claim : '');

/** Without characters that could change how the rest of a line reads. */
const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
