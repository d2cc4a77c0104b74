/** How the relay signs in to an SMTP server. */

import { failed } from '../base/client_error.ts';
import { type Finding, finding } from '../base/config_finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { choice, template } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { OAuth2 } from '../transports/oauth2/grant.ts';
import type { SmtpMessage } from '../transports/smtp/smtp_message.ts';
import { oauth2 } from './oauth2.ts';

export const loginKeys = {
  username: optional(
    'With it, the relay authenticates with SMTP PLAIN: over TLS, or in the clear to a loopback address.',
    template(),
  ),
  password: optional('Usually `{{ env "SMTP_PASSWORD" }}`.', template()),
  auth: withDefault(
    'plain',
    'How the relay authenticates as `username`: with SMTP PLAIN, with `login` for a server that offers LOGIN and not PLAIN, or with an access token instead of a password (`oauth2`).',
    choice(['plain', 'login', 'oauth2']),
  ),
  oauth2: optional(
    'With `auth: oauth2`: asks an authorization server for the access token, and authenticates with XOAUTH2, or with OAUTHBEARER where the server offers that alone.',
    oauth2,
  ),
};

export interface Login {
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
  readonly auth: 'plain' | 'login' | 'oauth2';
  readonly oauth2?: OAuth2 | undefined;
}

/** A token stands in the place of a password, for a user whom no visitor chooses. */
export function loginProblems({ username, password, auth, oauth2 }: Partial<Login>): readonly Finding[] {
  const problems: Finding[] = [];
  if (auth === 'oauth2') {
    if (!username) problems.push(finding('auth_without_username', ['auth'], { auth }));
    if (!oauth2) problems.push(finding('auth_without_oauth2', ['auth']));
    if (username?.isSubmitted) problems.push(finding('oauth2_submitted', ['username']));
    if (password) problems.push({ ...finding('oauth2_with_password', ['password']), aboutKey: true });
    return problems;
  }
  if (auth === 'login' && !username) problems.push(finding('auth_without_username', ['auth'], { auth }));
  const isKnown = auth === 'plain' || auth === 'login';
  if (isKnown && oauth2) problems.push({ ...finding('oauth2_without_auth', ['oauth2']), aboutKey: true });
  return problems;
}

/** What editors are told of it. */
export const loginJsonSchema = {
  if: { properties: { auth: { const: 'oauth2' } }, required: ['auth'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: { required: ['username', 'oauth2'], properties: { password: false } },
  else: { properties: { oauth2: false } },
};

export function loginWarnings({ username, password, auth }: Login): readonly Finding[] {
  if (username && !password && auth !== 'oauth2') return [finding('username_without_password', ['username'])];
  return password && !username ? [finding('password_without_username', ['password'])] : [];
}

/** Throws a `ClientError` when a key that is there renders empty; without a password it is empty. */
export function credentialsOf(login: Login, scope: Scope): SmtpMessage['credentials'] {
  const { username, password, auth } = login;
  if (!username || auth === 'oauth2') return undefined;
  return {
    username: filled('username', username.render(scope)),
    password: password ? filled('password', password.render(scope)) : '',
    mechanism: auth === 'login' ? 'LOGIN' : 'PLAIN',
  };
}

/** Whom the token is for, and how to get it. Throws a `ClientError` as well. */
export function tokenLoginOf({ username, auth, oauth2 }: Login, scope: Scope): SmtpMessage['oauth2'] {
  if (auth !== 'oauth2' || !username || !oauth2) return undefined;
  return { username: filled('username', username.render(scope).trim()), grant: oauth2.grantOf(scope) };
}

function filled(key: string, rendered: string): string {
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}
