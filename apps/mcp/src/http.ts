/** Serves the tools over Streamable HTTP: on this machine with a key, or for people who sign in with the team's provider. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { RelayRequest } from '@form-relay/core/http/request';
import {
  type AuthInfo,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  originValidationResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { makeServer } from './server.ts';
import type { Session } from './session.ts';

export const mcpPath = '/mcp';

/** Fits the largest config that the tools accept, as JSON. */
const mostBytes = 4_194_304;
const strictHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** The result of checking a token. `forbidden`: the person may not use these tools. */
export type TokenCheck = 'good' | 'unknown' | 'forbidden' | 'unreachable';

export interface Access {
  /** The URL that clients use, which the provider's tokens must name. */
  readonly resource: URL;
  /** The tokens' provider. Absent if tokens are the owner's keys. */
  readonly issuer?: URL;
  check(token: string): Promise<TokenCheck>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Handles requests of the relay's Node server. Each request gets its own server; all share the session. */
export function createMcpEndpoint(session: Session, access: Access, onerror: (error: Error) => void) {
  const { resource, issuer } = access;
  // Without keep-alives, long checks of the doctor would look like a dead connection.
  const mcp = createMcpHandler(() => makeServer(session), { responseMode: 'sse', onerror });
  const hosts = [...new Set([resource.hostname, ...localhostAllowedHostnames()])];
  const metadataAddress = getOAuthProtectedResourceMetadataUrl(resource);
  const authorize = requireBearerAuth({
    verifier: { verifyAccessToken: (token) => authOf(token, access) },
    ...(issuer && { resourceMetadataUrl: metadataAddress, expectedResource: resource }),
  });

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const refused = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
    if (refused) return refused;
    if (issuer && request.method === 'GET' && pathname === new URL(metadataAddress).pathname)
      return Response.json({
        resource: resource.href,
        authorization_servers: [issuer.href.replace(/\/$/, '')],
        bearer_methods_supported: ['header'],
        resource_name: 'Form Relay',
      });
    if (pathname !== mcpPath) return Response.json({ error: 'MCP is at /mcp' }, { status: 404 });
    const authInfo = await authorize(request);
    return authInfo instanceof Response ? authInfo : mcp.fetch(request, { authInfo });
  }

  const handle = async ({ method, path, query, headers, body }: RelayRequest): Promise<Answer> => {
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    const address = new URL(`http://localhost${path}${query && `?${query}`}`);
    const init = { method, headers: given as [string, string][] };
    const whole = method === 'GET' || method === 'HEAD' ? init : { ...init, body: Buffer.from(body ?? []) };
    const { status, headers: sent, body: stream } = await answer(new Request(address, whole));
    return {
      status,
      headers: { ...Object.fromEntries(sent), ...strictHeaders },
      // Closing the connection cancels the call.
      body: stream ? Readable.fromWeb(stream as ReadableStream) : '',
    };
  };
  return {
    handle: Object.assign(handle, { admit: () => ({ bodyLimit: mostBytes }) }),
    close: () => mcp.close(),
  };
}

/** Keys do not expire, and tokens were already checked, but the SDK requires an expiry time. */
const laterSeconds = 3_600;

async function authOf(token: string, { resource, check }: Access): Promise<AuthInfo> {
  const found = await check(token);
  if (found === 'forbidden')
    throw new OAuthError(
      OAuthErrorCode.InsufficientScope,
      'You may not use these tools. Only people who manage the inbox can.',
    );
  if (found === 'unreachable')
    throw new OAuthError(OAuthErrorCode.ServerError, 'The provider does not respond.');
  if (found === 'unknown')
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token or key is not accepted.');
  const expiresAt = Math.floor(Date.now() / 1_000) + laterSeconds;
  return { token, clientId: 'form-relay', scopes: [], expiresAt, resource };
}
