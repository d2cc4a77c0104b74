/** The relay's requests and parsing, compared with implementations that share no code with it. */

import fc from 'fast-check';
import * as oauth from 'oauth4webapi';
import { ClientError } from '../../../../../test/support/failed.ts';
import { holds, property, runs } from '../../../../../test/support/fuzz.ts';
import type { HttpAnswer } from '../../../../core/src/services.ts';
import { type OAuth2Grant, readToken, tokenRequest, usableMs } from '../../../src/oauth2.ts';

const server = { issuer: 'https://as.test', token_endpoint: 'https://as.test/token' };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const grants = fc.record({
  id: text,
  secret: text,
  auth: fc.constantFrom('basic' as const, 'post' as const),
  scope: text,
  refresh: fc.option(text, { nil: undefined }),
});

/** The request that oauth4webapi makes, and how it reads a response. */
async function theirs(
  { id, secret, auth, scope, refresh }: typeof grants extends fc.Arbitrary<infer G> ? G : never,
  answer: () => Response,
) {
  let sent: { headers: Headers; body: string } | undefined;
  const options = {
    [oauth.customFetch]: async (_: string, { headers, body }: { headers: object; body: unknown }) => {
      sent = { headers: new Headers(headers as Record<string, string>), body: String(body) };
      return answer();
    },
  };
  const client = { client_id: id };
  const proof = auth === 'basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
  const response =
    refresh === undefined
      ? await oauth.clientCredentialsGrantRequest(server, client, proof, { scope }, options)
      : await oauth.refreshTokenGrantRequest(server, client, proof, refresh, {
          ...options,
          additionalParameters: { scope },
        });
  const read =
    refresh === undefined
      ? oauth.processClientCredentialsResponse(server, client, response)
      : oauth.processRefreshTokenResponse(server, client, response);
  return { sent, token: await read.then(({ access_token }) => access_token).catch(() => undefined) };
}

const ours = ({ id, secret, auth, scope, refresh }: Parameters<typeof theirs>[0]): OAuth2Grant => {
  const common = {
    token_url: new URL(server.token_endpoint),
    client_id: id,
    client_secret: secret,
    client_auth: auth,
    scope,
  };
  return refresh === undefined
    ? { grant: 'client_credentials', ...common }
    : { grant: 'refresh_token', refresh_token: refresh, ...common };
};

/** The credentials as a server decodes them (RFC 6749, 2.3.1). */
function credentials(authorization: string | null | undefined): readonly string[] | undefined {
  if (!authorization) return undefined;
  const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('latin1');
  return pair.split(':').map((part) => new URLSearchParams(`v=${part}`).get('v') ?? '');
}

const sorted = (body: string) =>
  [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`).sort();

property('asks as oauth4webapi asks', runs(10, 0.05), [grants], async (grant) => {
  const { headers, body } = tokenRequest(ours(grant), 0);
  const { sent } = await theirs(grant, () => Response.json({ access_token: 'a', token_type: 'bearer' }));
  expect(sorted(body)).toEqual(sorted(sent?.body ?? ''));
  expect(credentials(headers.authorization)).toEqual(credentials(sent?.headers.get('authorization')));
  expect(headers['content-type']).toBe(sent?.headers.get('content-type')?.split(';')[0]);
  expect(headers.accept).toBe(sent?.headers.get('accept'));
});

const members = fc.record(
  {
    access_token: fc.oneof(fc.string(), fc.stringMatching(/^[!-~]{1,40}$/), fc.jsonValue()),
    token_type: fc.oneof(fc.constantFrom('Bearer', 'bearer', 'BEARER', 'mac', 'N_A'), fc.jsonValue()),
    expires_in: fc.oneof(
      fc.integer(),
      fc.double(),
      fc.constantFrom('3600', '-1', 'soon', ''),
      fc.jsonValue(),
    ),
    refresh_token: fc.string(),
    error: fc.oneof(fc.constantFrom('invalid_client', 'server_error'), fc.string(), fc.jsonValue()),
    error_codes: fc.oneof(fc.array(fc.integer()), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(
  members.map((object) => JSON.stringify(object)),
  fc.json(),
  fc.string(),
);
const grant = ours({ id: 'i', secret: 's', auth: 'post', scope: 'x', refresh: undefined });

function read(answer: Omit<HttpAnswer, 'headers'> & { headers?: HttpAnswer['headers'] }) {
  try {
    return readToken({ headers: {}, ...answer }, grant, 0);
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
}

test('every response becomes a token that fits into a header, with a lifetime, or a short failure', () =>
  holds(100, [fc.integer({ min: 200, max: 599 }), bodies, fc.boolean()], (status, body, isCut) => {
    const found = read({ status, body, isCut });
    if (found instanceof ClientError) {
      expect(found.message).toMatch(/^no access token: [ -~]{1,160}$/);
    } else {
      expect(new Headers({ authorization: `Bearer ${found.value}` }).get('authorization')).toBe(
        `Bearer ${found.value}`,
      );
      const keptMs = usableMs(found.livesMs);
      expect(keptMs).toBeGreaterThan(0);
      expect(keptMs).toBeLessThanOrEqual(86_400_000);
      expect(status).toBeLessThan(300);
    }
  }));

test('accepts every token that oauth4webapi accepts and a header can hold', () =>
  holds(runs(30, 0.05), [members], async (object) => {
    const body = JSON.stringify(object);
    const { token } = await theirs(
      { id: 'i', secret: 's', auth: 'post', scope: 'x', refresh: undefined },
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
    );
    const isSpeakable = token !== undefined && /^[!-~]+$/.test(token);
    const found = read({ status: 200, body });
    // The relay does not accept a response that is also an error.
    if (isSpeakable && !(found instanceof ClientError && found.code === 'oauth2_refused'))
      expect(found).toMatchObject({ value: token });
  }));
