import type net from 'node:net';
import type tls from 'node:tls';
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { addressOf } from '@form-relay/core/outputs/http';
import type { Services } from '@form-relay/core/services';
import { failed } from '../failures.ts';
import { bareHost, certificateUntil, connectionFailure, connectOptions, serverName } from '../socket.ts';
import { connectionRemedy, day, endsSoon, type HttpTarget, type Probe } from './connection.ts';
import { probeToken, sourceOf } from './token.ts';

interface HttpProbing extends Pick<Services, 'now' | 'env' | 'http'> {
  readonly tryConnect: TryConnect;
}

/**
 * Checks that a server is reachable and supports TLS, and that its tokens can be obtained. Sends the server
 * no request, because a request might be taken for a submission.
 */
export const httpProbe = (services: HttpProbing): Probe<HttpTarget> => ({
  serverOf: ({ url, target, oauth2 }) => (url?.origin ?? target) + sourceOf(oauth2),
  examine: async (target, timeoutMs) => {
    const { oauth2 } = target;
    const context = templateContext('', new Map(), 0, services);
    const tokens = oauth2 && probeToken(() => oauth2.grantOf(context), timeoutMs, services, false);
    const all = [await reached(target, timeoutMs, services), (await tokens)?.finding];
    return all.filter((one) => one !== undefined);
  },
});

async function reached(
  { url, url_env, target }: HttpTarget,
  timeoutMs: number,
  { tryConnect, now, env }: HttpProbing,
): Promise<Finding> {
  const subject = url?.origin ?? target;
  const found = url ?? addressNow(url_env ?? '', env);
  if (!(found instanceof URL)) return found;
  const host = bareHost(found);
  const tls = found.protocol === 'https:';
  const port = Number(found.port) || (tls ? 443 : 80);
  try {
    const { certificateUntil } = await tryConnect({ host, port, tls, timeoutMs });
    if (certificateUntil !== undefined && endsSoon(certificateUntil, now())) {
      const says = `the certificate expires on ${day(certificateUntil)}; deliveries will fail from then on`;
      return warning(
        subject,
        says,
        'Renew the certificate before it expires, or ask the operator of the server.',
      );
    }
    if (certificateUntil !== undefined) {
      const says = `speaks TLS, with a certificate until ${day(certificateUntil)}; no request was made`;
      return ok(subject, says);
    }
    if (isLoopback(host)) return ok(subject, 'accepts connections; no request was made');
    const says = 'accepts connections, but submissions are sent unencrypted';
    return warning(subject, says, 'Use https:// in the url.');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(
      subject,
      error.message,
      connectionRemedy(error.code, url ? host : `the host of ${target}`, port),
    );
  }
}

function addressNow(name: string, env: Services['env']): URL | Finding {
  try {
    return addressOf({ url_env: name }, { env });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(name, error.message, `Set ${name} to the whole address, as the service shows it.`);
  }
}

/** Connects, with `tls` including the handshake, and then disconnects. Rejects with a `ClientError`. */
export type TryConnect = (server: {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly timeoutMs: number;
}) => Promise<{ readonly certificateUntil: number | undefined }>;

/** @param options `ca`: PEM certificates to trust in addition to Node's own. */
export function createTryConnect({ ca }: { readonly ca?: string } = {}): TryConnect {
  return ({ host, port, tls: withTls, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const socket = withTls ? connectTls(host, port, ca) : connect(host, port);
      const end = (settle: () => void) => {
        settle();
        clearTimeout(timer);
        socket.destroy();
      };
      const fail = (reason: ClientError) => end(() => reject(reason));
      const timer = setTimeout(() => fail(failed('timed_out', { timeoutMs })), timeoutMs);
      // Never removed, because a socket can still fail after it is closed.
      socket.on('error', (error) => fail(connectionFailure(error)));
      socket.once('close', () => fail(failed('closed', {})));
      socket.once(withTls ? 'secureConnect' : 'connect', () =>
        end(() => resolve({ certificateUntil: certificateUntil(socket) })),
      );
    });
}

// Loaded late: TLS would cost every command 2 ms.
const connect = (host: string, port: number): net.Socket =>
  process.getBuiltinModule('node:net').connect({ host, port, ...connectOptions });

function connectTls(host: string, port: number, ca: string | undefined): tls.TLSSocket {
  const { connect, rootCertificates } = process.getBuiltinModule('node:tls');
  return connect({
    host,
    port,
    ...connectOptions,
    servername: serverName(host),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  });
}
