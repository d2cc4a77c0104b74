import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import { lowerCase } from './rights.ts';

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
