import net from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '../../base/address.ts';

/** What every connection of a client needs. */
export interface ResolvedOptions {
  readonly connect: (to: net.TcpNetConnectOpts) => net.Socket;
  /** Whom TLS trusts. Made when first asked for. */
  readonly secureContext: () => SecureContext;
  /** `undefined`: the machine has no name, and gives its address. */
  readonly ehloName: string | undefined;
}

export interface SmtpOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own, and leave the other options as they are. */
  readonly connect?: ResolvedOptions['connect'];
  /** What this machine calls itself. Default: its name, if that is one of the DNS. */
  readonly ehloName?: string | undefined;
}

export function resolveOptions({
  ca,
  connect = (to) => net.connect(to),
  ehloName = machineName(),
}: SmtpOptions): ResolvedOptions {
  let secureContext: SecureContext | undefined;
  return {
    connect,
    ehloName,
    secureContext: () => {
      if (secureContext) return secureContext;
      // Not imported above: TLS takes every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // A given `ca` replaces Node's list, so that goes in again.
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
