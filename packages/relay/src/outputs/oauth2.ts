import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import { isLoopback } from '../base/url.ts';
import type { Schema } from '../schema/any_schema.ts';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional, optionalBlock, required, section, withDefault } from '../schema/keys.ts';
import { choice, httpUrl, isMap, mapOf, ownTemplate } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { Client, OAuth2, OAuth2Grant } from '../transports/oauth2/token_request.ts';
import { secretTemplate } from './output.ts';

/** Text for the authorization server. Visitors must not influence who the relay is there. */
const ownText = (): Schema<Template> =>
  v.pipe(
    ownTemplate('oauth2_submitted'),
    v.check(({ content }) => content !== '', wrong('text_empty')),
  );

const tokenUrl = required(
  'The token endpoint: `https`, unless it is on this machine. Never templated.',
  v.pipe(
    httpUrl(),
    v.check(
      ({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname),
      wrong('oauth2_url_in_the_clear'),
    ),
  ),
);

/** Parameters that have keys of their own, or that the grant decides. */
const ownParams: Readonly<Record<string, string>> = {
  grant_type: 'grant',
  scope: 'scope',
  client_id: 'client_id',
  client_secret: 'client_secret',
  refresh_token: 'refresh_token',
  assertion: 'grant',
};

const common = {
  scope: optional('What the token may do, with spaces between several, as the service writes it.', ownText()),
  params: optionalBlock(
    'What the service wants in the request beside, such as `{audience: https://api.example.com}`.',
    mapOf(ownText(), (name) => {
      const key = Object.hasOwn(ownParams, name) ? ownParams[name] : undefined;
      return key === undefined ? undefined : finding('oauth2_param_reserved', [], { name, key });
    }),
  ),
};

const client = {
  client_id: required('As the service names this client.', ownText()),
  client_auth: withDefault(
    'basic',
    'How the client proves who it is: in the `Authorization` header (`basic`), or in the body (`post`).',
    choice(['basic', 'post']),
  ),
};
const clientSecret = secretTemplate('OAUTH_CLIENT_SECRET');
const subject = optional('Whom the token is for: a user whom the client may act for.', ownText());

export interface OAuth2Kind {
  /** For people: the grant, and the key by which it is told from another of this grant. */
  readonly name: string;
  readonly grant: 'client_credentials' | 'refresh_token' | 'jwt_bearer';
  readonly summary: string;
  /** Beside `grant`. */
  readonly keys: v.ObjectEntries;
  readonly grantOf: (keys: never, text: Text) => OAuth2Grant;
}

interface Definition<K extends v.ObjectEntries> extends OAuth2Kind {
  readonly keys: K;
  readonly grantOf: (keys: v.InferOutput<v.ObjectSchema<K, undefined>>, text: Text) => OAuth2Grant;
}

const kind = <K extends v.ObjectEntries>(definition: Definition<K>): OAuth2Kind => definition;

/** Renders what stands at a key. Throws a `ClientError` when it is empty. */
type Text = <T extends Template | undefined>(key: string, template: T) => Rendered<T>;
type Rendered<T> = T extends Template ? string : undefined;

const clientCredentials = kind({
  name: 'client_credentials',
  grant: 'client_credentials',
  summary: 'The relay asks in its own name, with an id and a secret.',
  keys: {
    token_url: tokenUrl,
    ...client,
    client_secret: required('What proves that it is this client. Only as `{{ env "NAME" }}`.', clientSecret),
    ...common,
  },
  grantOf: (keys, text) => ({
    kind: 'client_credentials',
    tokenUrl: keys.token_url,
    client: clientOf(keys, text),
    ...askingOf(keys, text),
  }),
});

const refreshToken = kind({
  name: 'refresh_token',
  grant: 'refresh_token',
  summary:
    'The relay acts for somebody who gave consent once. A refresh token that comes with an answer is not kept.',
  keys: {
    token_url: tokenUrl,
    ...client,
    client_secret: optional(
      'What proves that it is this client; public ones have none. Only as `{{ env "NAME" }}`.',
      clientSecret,
    ),
    refresh_token: required(
      'What stands for the consent. Only as `{{ env "NAME" }}`.',
      secretTemplate('OAUTH_REFRESH_TOKEN'),
    ),
    ...common,
  },
  grantOf: (keys, text) => ({
    kind: 'refresh_token',
    tokenUrl: keys.token_url,
    client: clientOf(keys, text),
    refreshToken: text('refresh_token', keys.refresh_token),
    ...askingOf(keys, text),
  }),
});

const serviceAccount = kind({
  name: 'jwt_bearer with service_account',
  grant: 'jwt_bearer',
  summary: 'A Google service account.',
  keys: {
    service_account: required(
      'All that stands in the JSON file that Google gives with a key. Only as `{{ env "NAME" }}`.',
      secretTemplate('GOOGLE_SERVICE_ACCOUNT'),
    ),
    ...common,
    scope: required('What the token may do, with spaces between several.', ownText()),
    subject,
  },
  grantOf: (keys, text) => ({
    kind: 'service_account',
    json: text('service_account', keys.service_account),
    subject: text('subject', keys.subject),
    ...askingOf(keys, text),
  }),
});

const jwtBearer = kind({
  name: 'jwt_bearer with private_key',
  grant: 'jwt_bearer',
  summary: 'Any other service that takes a signed assertion (RFC 7523).',
  keys: {
    token_url: tokenUrl,
    issuer: required('Who asks: often the client id.', ownText()),
    private_key: required(
      'The key that signs, as PEM: RSA (RS256) or P-256 (ES256). Only as `{{ env "NAME" }}`.',
      secretTemplate('OAUTH_PRIVATE_KEY'),
    ),
    key_id: optional('Which of its keys this is (`kid`), where the service wants to know.', ownText()),
    audience: optional('Whom the assertion is for. Default: `token_url`.', ownText()),
    subject,
    ...common,
  },
  grantOf: (keys, text) => ({
    kind: 'jwt_bearer',
    tokenUrl: keys.token_url,
    issuer: text('issuer', keys.issuer),
    subject: text('subject', keys.subject),
    audience: text('audience', keys.audience),
    privateKey: text('private_key', keys.private_key),
    keyId: text('key_id', keys.key_id),
    ...askingOf(keys, text),
  }),
});

/** docs/reference.md shows the keys of each. */
export const oauth2Kinds: readonly OAuth2Kind[] = [
  clientCredentials,
  refreshToken,
  serviceAccount,
  jwtBearer,
];

export const grantKey = required(
  'How the relay gets its tokens.',
  choice(['client_credentials', 'refresh_token', 'jwt_bearer']),
);

const clientOf = (
  keys: {
    readonly client_id: Template;
    readonly client_secret?: Template | undefined;
    readonly client_auth: Client['auth'];
  },
  text: Text,
): Client => ({
  id: text('client_id', keys.client_id),
  secret: text('client_secret', keys.client_secret),
  auth: keys.client_auth,
});

const askingOf = (
  keys: {
    readonly scope?: Template | undefined;
    readonly params?: ReadonlyMap<string, Template> | undefined;
  },
  text: Text,
) => ({
  scope: text('scope', keys.scope),
  params: Object.fromEntries(
    [...(keys.params ?? [])].map(([name, value]) => [name, text(`params.${name}`, value)]),
  ),
});

const textIn =
  (scope: Scope): Text =>
  (key, template) => {
    const rendered = template?.render(scope).trim();
    if (rendered === '') throw failed('rendered_empty', { key: `oauth2.${key}` });
    return rendered as Rendered<typeof template>;
  };

const allKeys = [...new Set(oauth2Kinds.flatMap(({ keys }) => Object.keys(keys)))];

function schemaOf({ keys, grantOf }: OAuth2Kind): Schema<OAuth2> {
  return v.pipe(
    section({ grant: grantKey, ...keys }),
    v.transform(
      (parsed): OAuth2 =>
        Object.assign(parsed, { grantOf: (scope: Scope) => grantOf(parsed as never, textIn(scope)) }),
    ),
  );
}

const schemas = new Map(oauth2Kinds.map((one) => [one, schemaOf(one)]));

const noKind = section(
  { ...Object.fromEntries(allKeys.map((key) => [key, v.optional(v.unknown())])), grant: grantKey },
  '{grant: client_credentials, token_url: …, client_id: …, client_secret: …}',
) as never;

export const oauth2Schema: Schema<OAuth2> = v.lazy((input) => {
  const meant = isMap(input) && kindOf(input);
  return (meant && schemas.get(meant)) || noKind;
});

function kindOf(written: Readonly<Record<string, unknown>>): OAuth2Kind | undefined {
  if (written.grant !== 'jwt_bearer') return oauth2Kinds.find(({ name }) => name === written.grant);
  const isOwnKey = ['token_url', 'issuer', 'private_key'].some((key) => key in written);
  return isOwnKey && !('service_account' in written) ? jwtBearer : serviceAccount;
}
