import type { HttpRequest } from '../../base/effects.ts';
import { version } from '../../base/version.ts';
import { assertionOf } from './assertion.ts';
import type { Client, OAuth2Grant } from './grant.ts';

type TokenRequest = Omit<HttpRequest, 'timeoutMs'>;

/** The request for a token. Throws a `ClientError` where the key for it cannot be read. */
export function tokenRequest(grant: OAuth2Grant, now: number): TokenRequest {
  const { scope, params } = grant;
  switch (grant.kind) {
    case 'client_credentials':
      return requestOf(grant.tokenUrl, { grant_type: grant.kind, scope, ...params }, grant.client);
    case 'refresh_token': {
      const asked = { grant_type: grant.kind, refresh_token: grant.refreshToken, scope, ...params };
      return requestOf(grant.tokenUrl, asked, grant.client);
    }
    case 'jwt_bearer': {
      const { tokenUrl, jwt } = assertionOf(grant, now);
      return requestOf(tokenUrl, { grant_type: jwtBearer, assertion: jwt, scope, ...params });
    }
    case 'service_account': {
      const { tokenUrl, jwt } = assertionOf(grant, now);
      return requestOf(tokenUrl, { grant_type: jwtBearer, assertion: jwt, ...params });
    }
  }
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

function requestOf(
  url: URL,
  asked: Readonly<Record<string, string | undefined>>,
  client?: Client,
): TokenRequest {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) body.append(name, value);
  }
  const inHeader = client?.auth === 'basic' && client.secret !== undefined;
  if (client && !inHeader) {
    body.append('client_id', client.id);
    if (client.secret !== undefined) body.append('client_secret', client.secret);
  }
  return {
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // GitHub answers urlencoded without it.
      accept: 'application/json',
      'user-agent': `form-relay/${version}`,
      ...(inHeader && { authorization: basic(client) }),
    },
    body: body.toString(),
  };
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basic({ id, secret = '' }: Client): string {
  return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;
}

/** `~`, which secrets of Microsoft hold, stays as it is: so it also arrives where nobody decodes. */
const formEncoded = (text: string) =>
  new URLSearchParams({ text }).toString().slice('text='.length).replaceAll('%7E', '~');
