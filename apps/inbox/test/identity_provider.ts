import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import * as certificates from '../../../test/support/certificates.ts';
import { listen } from '../../../test/support/listen.ts';

/** A real OpenID Connect provider, which signs everybody in as the person in `who`. */
export async function startIdentityProvider(redirectUri: string) {
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const state = { who: 'ada', isDown: false };
  const accounts = new Map<string, Record<string, unknown>>([
    ['ada', { email: 'ada@example.org', email_verified: true, groups: ['owners'] }],
    ['bob', { email: 'bob@example.org', email_verified: true, groups: ['/support'] }],
    ['eve', { email: 'ada@example.org', email_verified: false, groups: [] }],
    ['mallory', { email: 'mallory@example.net', email_verified: true, groups: '/support' }],
  ]);
  const client = (id: string, uri: string) => ({
    client_id: id,
    client_secret: `${id}-secret-of-some-length`,
    redirect_uris: [uri],
    post_logout_redirect_uris: [new URL('/', uri).href],
  });
  const privateKey = createPrivateKey(certificates.server.key);
  const provider = new Provider(issuer, {
    clients: [client('inbox', redirectUri), client('other', 'http://127.0.0.1/other')],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key of the test'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified', 'groups', 'xms_edov', 'roles'],
      profile: ['preferred_username'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => false },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, preferred_username: accountId, ...accounts.get(accountId) }),
    }),
  });
  const handle = provider.callback();
  server.on('request', async (request, response) => {
    if (state.isDown) {
      response.writeHead(502).end('bad gateway');
      return;
    }
    if (!request.url?.startsWith('/interaction/')) {
      handle(request, response);
      return;
    }
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: state.who, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const result = { login: { accountId: state.who }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  return { issuer, state, accounts, close: () => server.close() };
}
