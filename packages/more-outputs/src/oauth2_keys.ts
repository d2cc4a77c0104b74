import { isLoopback } from '@form-relay/base/url';
import type { OAuth2, OAuth2Grant } from '@form-relay/clients/oauth2';
import type { Properties, Schema, TemplateContext } from '@form-relay/core/index';
import { discriminatedUnion, object } from '@form-relay/schema/collections';
import { httpUrl, oneOf } from '@form-relay/schema/scalars';
import { checked, optional, required, schemaLike, withDefault } from '@form-relay/schema/schema';
import { Template } from '@form-relay/schema/template';
import { secret } from '@form-relay/schema/templates';
import { filled, filledOwnTemplate } from './templates.ts';

const scopeDoc = 'Permissions of the token, separated by spaces.';

const client = {
  token_url: required(
    'Token endpoint: `https`, except on this machine. Never templated.',
    checked(httpUrl(), (url, at) =>
      url.protocol !== 'https:' && !isLoopback(url.hostname)
        ? at.error('secrets would be sent unencrypted; start the address with https://')
        : url,
    ),
  ),
  client_id: required('Client id that the service assigned.', filledOwnTemplate()),
  client_auth: withDefault(
    'basic',
    'Where to send `client_secret`: in the `Authorization` header (`basic`) or the body (`post`).',
    oneOf(['basic', 'post']),
  ),
  client_secret: required('Client secret, as `{{ env "NAME" }}`.', secret('OAUTH_CLIENT_SECRET')),
  scope: optional(scopeDoc, filledOwnTemplate()),
};

interface Grant {
  readonly name: OAuth2Grant['grant'];
  readonly summary: string;
  readonly keys: Properties;
}

/** docs/reference.md shows the keys of each grant. */
export const oauth2Grants: readonly Grant[] = [
  {
    name: 'client_credentials',
    summary: 'The relay identifies itself with an id and a secret.',
    keys: client,
  },
  {
    name: 'refresh_token',
    summary: 'The relay acts for a person who consented once. A new refresh token in a response is ignored.',
    keys: {
      ...client,
      refresh_token: required('Refresh token, as `{{ env "NAME" }}`.', secret('OAUTH_REFRESH_TOKEN')),
    },
  },
  {
    name: 'jwt_bearer',
    summary: 'A Google service account.',
    keys: {
      service_account: required(
        'The whole JSON key file from Google, as `{{ env "NAME" }}`.',
        secret('GOOGLE_SERVICE_ACCOUNT'),
      ),
      scope: required(scopeDoc, filledOwnTemplate()),
      subject: optional('User for whom the account acts.', filledOwnTemplate()),
    },
  },
];

export const grantKey = required('Method of obtaining tokens.', oneOf(oauth2Grants.map(({ name }) => name)));

/** Renders the keys. Throws a `ClientError` if a template renders empty. */
const rendered = (keys: object, context: TemplateContext): object =>
  Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [
      key,
      value instanceof Template ? filled(`oauth2.${key}`, value, context) : value,
    ]),
  );

const grants = discriminatedUnion<object>(
  'grant',
  new Map(oauth2Grants.map(({ name, keys }) => [name, object({ grant: grantKey, ...keys })])),
  { example: '{grant: client_credentials, token_url: …, client_id: …, client_secret: …}' },
);

/** An empty block is an error, because its author means to use OAuth. */
export const oauth2Schema: Schema<OAuth2> = schemaLike(grants, (value, at) => {
  const read = grants(value, at);
  if (!read) return undefined;
  // Templates must be in the keys themselves, where the core looks for them.
  return { ...read, grantOf: (context) => rendered(read, context) as OAuth2Grant };
});
