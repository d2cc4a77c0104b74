import type { Client, OAuth2, OAuth2Grant } from '@form-relay/clients/oauth2/token_request';
import type { Parsed, Properties, Schema } from '@form-relay/core/index';
import {
  checked,
  httpUrl,
  isLoopback,
  isMap,
  jsonSchemaOf,
  object,
  oneOf,
  optional,
  optionalBlock,
  record,
  required,
  schema,
  Template,
  withDefault,
} from '@form-relay/core/kit';
import type { TemplateContext } from '@form-relay/core/schema/template';
import { credentialTemplate, filled, secretTemplate } from './templates.ts';

const tokenUrl = required(
  'The token endpoint: `https`, unless it is on this machine. Never templated.',
  checked(httpUrl(), (url, at) =>
    url.protocol !== 'https:' && !isLoopback(url.hostname)
      ? at.error('secrets would travel in the clear; start it with https://')
      : url,
  ),
);

const ownParams: Readonly<Record<string, string>> = {
  grant_type: 'grant',
  scope: 'scope',
  client_id: 'client_id',
  client_secret: 'client_secret',
  refresh_token: 'refresh_token',
  assertion: 'grant',
};

const common = {
  scope: optional(
    'What the token may do, with spaces between several, as the service writes it.',
    credentialTemplate(),
  ),
  params: optionalBlock(
    'What the service wants in the request beside, such as `{audience: https://api.example.com}`.',
    record(credentialTemplate(), (name) =>
      Object.hasOwn(ownParams, name) ? `${name} has a key of its own: ${ownParams[name]}` : undefined,
    ),
  ),
};

const client = {
  client_id: required('As the service names this client.', credentialTemplate()),
  client_auth: withDefault(
    'basic',
    'How the client proves who it is: in the `Authorization` header (`basic`), or in the body (`post`).',
    oneOf(['basic', 'post']),
  ),
};
const clientSecret = secretTemplate('OAUTH_CLIENT_SECRET');
const subject = optional('Whom the token is for: a user whom the client may act for.', credentialTemplate());

interface OAuth2Kind<K extends Properties = Properties> {
  /** For people: the grant, and the key by which it is told from another of this grant. */
  readonly name: string;
  readonly grant: 'client_credentials' | 'refresh_token' | 'jwt_bearer';
  readonly summary: string;
  /** Beside `grant`. */
  readonly keys: K;
  grantOf(keys: Rendered<K>): OAuth2Grant;
}

type Rendered<K extends Properties> = { readonly [N in keyof Parsed<K>]: RenderedAs<Parsed<K>[N]> };
type RenderedAs<T> = T extends Template
  ? string
  : T extends ReadonlyMap<string, Template>
    ? Readonly<Record<string, string>>
    : T;

const kind = <K extends Properties>(definition: OAuth2Kind<K>): OAuth2Kind => definition;

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
  grantOf: ({ token_url: tokenUrl, scope, params = {}, ...keys }) => ({
    kind: 'client_credentials',
    tokenUrl,
    client: clientOf(keys),
    scope,
    params,
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
  grantOf: ({ token_url: tokenUrl, refresh_token: refreshToken, scope, params = {}, ...keys }) => ({
    kind: 'refresh_token',
    tokenUrl,
    client: clientOf(keys),
    refreshToken,
    scope,
    params,
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
    scope: required('What the token may do, with spaces between several.', credentialTemplate()),
    subject,
  },
  grantOf: ({ service_account: json, subject, scope, params = {} }) => ({
    kind: 'service_account',
    json,
    subject,
    scope,
    params,
  }),
});

const jwtBearer = kind({
  name: 'jwt_bearer with private_key',
  grant: 'jwt_bearer',
  summary: 'Any other service that takes a signed assertion (RFC 7523).',
  keys: {
    token_url: tokenUrl,
    issuer: required('Who asks: often the client id.', credentialTemplate()),
    private_key: required(
      'The key that signs, as PEM: RSA (RS256) or P-256 (ES256). Only as `{{ env "NAME" }}`.',
      secretTemplate('OAUTH_PRIVATE_KEY'),
    ),
    key_id: optional(
      'Which of its keys this is (`kid`), where the service wants to know.',
      credentialTemplate(),
    ),
    audience: optional('Whom the assertion is for. Default: `token_url`.', credentialTemplate()),
    subject,
    ...common,
  },
  grantOf: ({ token_url: tokenUrl, private_key: privateKey, key_id: keyId, params = {}, ...asked }) => ({
    kind: 'jwt_bearer',
    tokenUrl,
    privateKey,
    keyId,
    params,
    ...asked,
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
  oneOf(['client_credentials', 'refresh_token', 'jwt_bearer']),
);

const clientOf = (keys: {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly client_auth: Client['auth'];
}): Client => ({ id: keys.client_id, secret: keys.client_secret, auth: keys.client_auth });

/** Throws a `ClientError` when a template renders empty. */
function rendered(
  keys: Parsed<Properties>,
  context: TemplateContext,
  before = 'oauth2',
): Rendered<Properties> {
  const textOf = (key: string, value: unknown): unknown => {
    if (value instanceof Map) return rendered(Object.fromEntries(value), context, key);
    return value instanceof Template ? filled(key, value, context) : value;
  };
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key, textOf(`${before}.${key}`, value)]),
  );
}

const allKeys = [...new Set(oauth2Kinds.flatMap(({ keys }) => Object.keys(keys)))];

const schemas = new Map(oauth2Kinds.map((one) => [one, object({ grant: grantKey, ...one.keys })]));

const noKind = object(
  {
    ...Object.fromEntries(allKeys.map((key) => [key, optional('', (value: unknown) => value)])),
    grant: grantKey,
  },
  '{grant: client_credentials, token_url: …, client_id: …, client_secret: …}',
);

const ifOf = ({ name, grant }: OAuth2Kind) => {
  const ofGrant = { type: 'object', required: ['grant'], properties: { grant: { const: grant } } };
  if (grant !== 'jwt_bearer') return ofGrant;
  const isGoogle = { required: ['service_account'] };
  return { allOf: [ofGrant, name === serviceAccount.name ? isGoogle : { not: isGoogle }] };
};

/** There is no empty block: whoever begins one means to use it. */
export const oauth2Schema: Schema<OAuth2> = schema(
  () => ({
    type: 'object',
    required: ['grant'],
    properties: { grant: { ...jsonSchemaOf(grantKey.schema), description: grantKey.doc } },
    // Each kind of login with the keys that tell it apart.
    allOf: [...schemas].map(([kind, one]) => ({
      if: ifOf(kind),
      // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
      then: { ...jsonSchemaOf(one), title: kind.name },
    })),
  }),
  (value, at) => {
    const meant = isMap(value) ? kindOf(value) : undefined;
    const read = ((meant && schemas.get(meant)) ?? noKind)(value, at);
    if (!read || !meant) return undefined;
    // Templates stand in the keys themselves, where the core looks for them.
    return Object.assign(read, {
      grantOf: (context: TemplateContext) => meant.grantOf(rendered(read, context)),
    });
  },
);

function kindOf(written: Readonly<Record<string, unknown>>): OAuth2Kind | undefined {
  if (written.grant !== 'jwt_bearer') return oauth2Kinds.find(({ name }) => name === written.grant);
  const isOwnKey = ['token_url', 'issuer', 'private_key'].some((key) => key in written);
  return isOwnKey && !('service_account' in written) ? jwtBearer : serviceAccount;
}
