import type net from 'node:net';
import type tls from 'node:tls';
import { type ClientError, failed } from '../../base/client_error.ts';
import { certificateUntil } from '../certificate.ts';
import { connectOptions } from '../connect_options.ts';
import { connectionFailure } from '../connection_failure.ts';

/** Connects and, with `tls`, shakes hands; then hangs up without a word. Rejects with a `ClientError`. */
export type Reach = (server: {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly timeoutMs: number;
}) => Promise<{ readonly certificateUntil: number | undefined }>;

/** @param options `ca`: PEM certificates to trust beside Node's own. */
export function createReach({ ca }: { readonly ca?: string } = {}): Reach {
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
      // Never removed: a socket can still fail after it was closed.
      socket.on('error', (error) => fail(connectionFailure(error)));
      socket.once('close', () => fail(failed('closed')));
      socket.once(withTls ? 'secureConnect' : 'connect', () =>
        end(() => resolve({ certificateUntil: certificateUntil(socket) })),
      );
    });
}

// Loaded when needed: TLS would cost every command 2 ms.
const connect = (host: string, port: number): net.Socket =>
  process.getBuiltinModule('node:net').connect({ host, port, ...connectOptions });

function connectTls(host: string, port: number, ca: string | undefined): tls.TLSSocket {
  const { connect, rootCertificates } = process.getBuiltinModule('node:tls');
  const { isIP } = process.getBuiltinModule('node:net');
  return connect({
    host,
    port,
    ...connectOptions,
    // RFC 6066, 3: the name that is asked for is no IP address.
    servername: isIP(host) ? '' : host,
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  });
}
