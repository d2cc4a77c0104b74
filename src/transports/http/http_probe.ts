import { ClientError } from '../../client_error.ts';
import { failure, ok, warning } from '../../diagnosis.ts';
import type { Effects } from '../../effects.ts';
import { isLoopback } from '../../url.ts';
import { day, endsSoon } from '../certificate.ts';
import { connectionRemedy } from '../connection_remedy.ts';
import type { Probe } from '../transport.ts';
import type { HttpTarget } from './http_message.ts';
import type { Reach } from './reach.ts';

/**
 * Whether a server can be reached and speaks TLS. No request is made: a server may take any for a submission.
 */
export const httpProbe = ({ reach, now }: { reach: Reach } & Pick<Effects, 'now'>): Probe<HttpTarget> => ({
  serverOf: ({ url }) => url.origin,
  look: async ({ url: { origin, protocol, hostname, port: given } }, timeoutMs) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const tls = protocol === 'https:';
    const port = Number(given) || (tls ? 443 : 80);
    try {
      const { certificateUntil } = await reach({ host, port, tls, timeoutMs });
      if (certificateUntil !== undefined && endsSoon(certificateUntil, now())) {
        const says = `its certificate ends on ${day(certificateUntil)}; from then on nothing is delivered`;
        return [warning(origin, says, 'See that it is renewed in time.')];
      }
      if (certificateUntil !== undefined) {
        const says = `speaks TLS, with a certificate until ${day(certificateUntil)}; no request was made`;
        return [ok(origin, says)];
      }
      if (isLoopback(host)) return [ok(origin, 'takes connections; no request was made')];
      const says = 'takes connections, and submissions travel there in the clear';
      return [warning(origin, says, 'Use https:// in the url.')];
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return [failure(origin, error.message, connectionRemedy(error.code, host, port))];
    }
  },
});
