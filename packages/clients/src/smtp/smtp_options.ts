import net from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '@form-relay/base/address';

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

export interface SmtpOptions {
  /** PEM certificates to trust in addition to Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests redirect it to their own port. */
  readonly connect?: (to: net.TcpNetConnectOpts) => net.Socket;
  /** This machine's name. Default: its host name, if the DNS can know that. */
  readonly ehloName?: string | undefined;
}

export function resolveOptions({
  ca,
  connect = (to) => net.connect(to),
  ehloName = machineName(),
}: SmtpOptions) {
  let secureContext: SecureContext | undefined;
  return {
    connect,
    /** `undefined`: the machine has no name and gives its address. */
    ehloName,
    /** The trusted certificates, created on demand. */
    secureContext: (): SecureContext => {
      if (secureContext) return secureContext;
      // Loaded late: TLS costs every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // `ca` replaces Node's list, so add that again.
      const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
      secureContext = tls.createSecureContext({ ca: trusted });
      return secureContext;
    },
  };
}

/** `undefined` for a name that only this machine knows. */
function machineName(): string | undefined {
  const name = hostName(hostname());
  return name?.includes('.') && !name.endsWith('.localdomain') ? name : undefined;
}
