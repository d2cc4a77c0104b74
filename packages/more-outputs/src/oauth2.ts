/** Access tokens of an authorization server, for requests and for logins to SMTP servers. */

import { createWithToken, type OAuth2, type WithToken } from '@form-relay/clients/oauth2';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Delivery,
  Diagnostics,
  OutputContext,
  Plugin,
  Services,
  SmtpCredentials,
  Template,
  Transport,
} from '@form-relay/core/index';
import { within } from '@form-relay/core/outputs/delivery';
import { oneOf } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';
import { oauth2Schema } from './oauth2_keys.ts';
import { filled } from './templates.ts';

/** All outputs of a relay share their tokens. */
const tokens = new WeakMap<Services['http'], WithToken>();

function tokensOf({ http, now }: Pick<Services, 'http' | 'now'>): WithToken {
  const known = tokens.get(http) ?? createWithToken({ http, now });
  tokens.set(http, known);
  return known;
}

const requests = outputExtension({
  name: 'oauth2',
  types: ['http_post', 'crm_web2lead', 'webhook'],
  keys: {
    oauth2: optional(
      'Sends an access token of an authorization server: `Authorization: Bearer …`.',
      oauth2Schema,
    ),
  },
  configure: ({ output }, at) => {
    const { oauth2 } = output;
    if (!oauth2) return undefined;
    const { headers }: Readonly<Record<string, unknown>> = output;
    // The token and an owner's own header would have the same name.
    for (const name of headers instanceof Map ? headers.keys() : [])
      if (String(name).toLowerCase() === 'authorization')
        at.in('headers', String(name)).error('oauth2 already sends this header; remove one of the two', {
          aboutKey: true,
        });
    return {
      wrapTransport: (inner, context) =>
        withTokens(inner, oauth2, context, ({ request, ...delivery }) => (token) => {
          const headers = { ...request?.headers, authorization: `Bearer ${token}` };
          return { ...delivery, request: { ...request, headers } };
        }),
    };
  },
});

/** @param prepare Prepares as much as possible of the delivery before there is a token, then adds the token. */
const withTokens = (
  inner: Transport,
  oauth2: OAuth2,
  { services }: OutputContext,
  prepare: (delivery: Delivery) => (token: string) => Delivery,
): Transport => ({
  ...inner,
  send: async (delivery, call) => {
    const prepared = prepare(delivery);
    return tokensOf(services)(oauth2.grantOf(delivery.templateContext), call.timeoutMs, (token, leftMs) =>
      inner.send(prepared(token), within(call, leftMs)),
    );
  },
});

interface Login {
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
  readonly auth?: 'plain' | 'login' | 'oauth2' | undefined;
  readonly oauth2?: OAuth2 | undefined;
}

const logins = outputExtension({
  name: 'auth',
  types: ['smtp'],
  keys: {
    auth: withDefault(
      'plain',
      'Method of signing in: SMTP PLAIN, `login` for servers that offer only LOGIN, or an access token (`oauth2`).',
      oneOf(['plain', 'login', 'oauth2']),
    ),
    oauth2: optional('Source of the access token for `auth: oauth2`.', oauth2Schema),
  },
  configure: ({ output }, at) => {
    const login: Login = output;
    loginProblems(login, at);
    const { username, auth, oauth2 } = login;
    if (!username || auth === 'plain' || auth === undefined) return undefined;
    if (auth === 'login') return { wrapTransport: (inner) => loggingIn(inner, username, login.password) };
    if (!oauth2) return undefined;
    return {
      wrapTransport: (inner, context) =>
        withTokens(inner, oauth2, context, (delivery) => {
          const user = filled('username', username, delivery.templateContext);
          return (token) => withCredentials(delivery, { username: user, token });
        }),
    };
  },
});

/** The token replaces the password, and visitors must not choose the user. */
function loginProblems({ username, password, auth, oauth2 }: Login, at: Diagnostics): void {
  if (auth !== 'oauth2') {
    if (auth === 'login' && !username) at.in('auth').error('auth: login needs a username');
    if (auth && oauth2) at.in('oauth2').error('this has no effect without auth: oauth2', { aboutKey: true });
    return;
  }
  if (!username) at.in('auth').error('oauth2 needs a username: the mailbox that the token is for');
  if (!oauth2 && !at.in('oauth2').isWrong)
    at.in('auth').error('auth: oauth2 needs an oauth2 block, the source of the token');
  if (username?.isSubmitted)
    at.in('username').error('submitted values are not allowed here; use {{ env "NAME" }}');
  if (password)
    at.in('password').error('auth: oauth2 signs in with a token; remove password', {
      aboutKey: true,
    });
}

const withCredentials = (delivery: Delivery, credentials: SmtpCredentials): Delivery => ({
  ...delivery,
  mail: { ...delivery.mail, credentials },
});

const loggingIn = (inner: Transport, username: Template, password: Template | undefined): Transport => ({
  ...inner,
  send: async (delivery, call) => {
    const rendered = (key: string, template: Template) => filled(key, template, delivery.templateContext);
    const credentials = {
      username: rendered('username', username),
      password: password ? rendered('password', password) : '',
      mechanism: 'LOGIN',
    } as const;
    return inner.send(withCredentials(delivery, credentials), call);
  },
});

export const plugin: Plugin = { name: 'oauth2', outputExtensions: [requests, logins] };
