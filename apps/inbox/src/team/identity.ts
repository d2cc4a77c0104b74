import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { PersonRight, Right } from '../api.ts';
import type { Failure } from './provider.ts';

/** Rights that the config grants to a person. */
interface Rights {
  /** The forms that the person may read; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  /** Whether the person may manage the inbox, which includes all other rights. */
  readonly mayManage: boolean;
  /** A fingerprint, equal for equal rights. */
  readonly print: string;
}

interface Entry {
  readonly email?: string | undefined;
  readonly group?: string | undefined;
  readonly may: readonly PersonRight[];
  readonly forms?: readonly string[] | undefined;
}

/**
 * The combined rights of all entries that match this person, whose address the provider verified; `undefined`
 * if the person may not read any form.
 */
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

/** Lowercases only ASCII: `toLowerCase` turns the Kelvin sign into a `k`, and so into another address. */
export const lowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** An explanation for a person who cannot sign in. */
export interface Refusal {
  readonly status: number;
  /** Default: `Inbox`. */
  readonly title?: string;
  readonly words: string;
}

const refusal = (status: number, words: string, title?: string): Refusal => ({
  status,
  words,
  ...(title && { title }),
});

/** @param provider The provider's host. */
export const refusalOf = (failure: Failure, provider: string): Refusal =>
  ({
    provider_down: refusal(
      503,
      `${provider} does not respond, so signing in is not possible at the moment. People who are signed in can continue. Try again in a minute.`,
    ),
    secret_missing: refusal(
      503,
      'The inbox has no client secret, so signing in is not possible. The log names the missing variable.',
    ),
    client_refused: refusal(
      503,
      `${provider} does not accept the inbox's client id and secret. Compare them with the values at the provider.`,
    ),
    denied: refusal(403, `${provider} did not let you sign in, or you cancelled it.`),
    code_refused: refusal(
      403,
      `${provider} no longer accepts this sign-in: it was already used, or took too long. Sign in again.`,
    ),
    not_accepted: refusal(
      403,
      `The response from ${provider} does not belong to this sign-in, so it was rejected. Sign in again.`,
    ),
    other_domain: refusal(403, 'This account does not belong to the organisation of this inbox.'),
  })[failure];

export const linkFailures = {
  elsewhere: refusal(
    403,
    'Open it in the browser in which you requested it, or request a new one here.',
    'This link belongs to another browser',
  ),
  used: refusal(410, 'Each link works once. Request a new one.', 'This link was already used'),
  old: refusal(410, 'Links work for 15 minutes. Request a new one.', 'This link has expired'),
  unknown: refusal(
    404,
    'Part of the address may be missing, or the link is weeks old. Request a new one.',
    'This is not a sign-in link',
  ),
};

export const noWay = refusal(
  401,
  'Signing in does not work: no form has an output that sends mails, so the inbox cannot send links. Add one to the config.',
);
export const notBegun = refusal(
  400,
  'This sign-in was started in another browser or more than 10 minutes ago, or another tab started a newer one. Sign in again.',
);
export const tooMany = refusal(
  429,
  'Too many sign-ins were attempted from this network. Try again in a minute.',
);
export const busy = refusal(429, 'Too many people are signing in at the moment. Try again in a few seconds.');
export const wrongHost = refusal(
  403,
  'The inbox does not serve this host name; use the address in its config.',
);
export const forged = refusal(403, 'This request came from another site, so it was rejected.');
export const turnedOff = refusal(503, 'The config no longer has an inbox.');

/** Shown to a person who signed in, but may not use the inbox. */
export function withoutRights({ issuer, name, email, hasGroupsLeftOut }: Identity): Refusal {
  if (issuer === byMail)
    return refusal(
      403,
      `${name} no longer has access to this inbox. A manager of the inbox can invite you again.`,
      'You cannot sign in',
    );
  const unverified =
    email === undefined
      ? ' The provider did not verify your address, so rights by address do not apply.'
      : '';
  const leftOut = hasGroupsLeftOut
    ? ' You are in so many groups that the provider left them out, so rights by group do not apply.'
    : '';
  return refusal(
    403,
    `${name} may not use this inbox. A manager of the inbox can invite you.${unverified}${leftOut}`,
  );
}

/** A person as described by the provider. */
export interface Identity {
  readonly issuer: string;
  /** A hash of issuer and subject, which remain the same if an address is given to another person. */
  readonly subject: string;
  /** The address, verified by the provider. */
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** Shown on the page and in the audit log. */
  readonly name: string;
  /** Microsoft omits the groups if there are more than 200. */
  readonly hasGroupsLeftOut: boolean;
  /** Needed to end the session at the provider. */
  readonly idToken: string;
}

export type Claims = Readonly<Record<string, unknown>>;

type Rules = Pick<NonNullable<InboxSettings['sign_in']>, 'hosted_domain' | 'groups_claim' | 'verified_claim'>;

/** More are ignored: no sane provider sends as many. */
const mostGroups = 10_000;

/** The issuer for people who signed in with a link. */
export const byMail = 'mail';

const subjectOf = (issuer: string, id: string) =>
  createHash('sha256').update(`${issuer}\0${id}`).digest('hex').slice(0, 16);

/** A person who opened a link sent to this address. */
export const identityOfMail = (email: string): Identity => ({
  issuer: byMail,
  subject: subjectOf(byMail, email),
  email,
  groups: [],
  name: email,
  hasGroupsLeftOut: false,
  idToken: '',
});

/** @param more Claims from the userinfo endpoint, for those missing in the ID token. */
export function identityOf(
  { token, more, idToken }: { readonly token: Claims; readonly more: Claims; readonly idToken: string },
  { hosted_domain, groups_claim, verified_claim }: Rules,
): Result<Identity, 'other_domain'> {
  if (hosted_domain !== undefined && lowerCase(textOf(token.hd)) !== lowerCase(hosted_domain)) {
    return err('other_domain');
  }
  // The address and its verification must come from the same source.
  const source = typeof token.email === 'string' ? token : more;
  const email = isVerified(source, verified_claim) ? textOf(source.email) : '';
  const groups = own(token, groups_claim) ?? own(more, groups_claim);
  const issuer = textOf(token.iss);
  return ok({
    issuer,
    subject: subjectOf(issuer, textOf(token.sub)),
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

/** A claim may have the name of an inherited method. */
const own = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

const textOf = (claim: unknown): string => (typeof claim === 'string' && claim.length <= 254 ? claim : '');

/** Removes characters that could change how the rest of a line reads. */
const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
