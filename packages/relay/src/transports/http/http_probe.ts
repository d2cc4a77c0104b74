import { ClientError } from '../../base/client_error.ts';
import { type Diagnosis, failure, ok, warning } from '../../base/diagnosis.ts';
import type { Effects } from '../../base/effects.ts';
import { isLoopback } from '../../base/url.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { day, endsSoon } from '../certificate.ts';
import { connectionRemedy } from '../connection_remedy.ts';
import { probeToken, sourceOf } from '../oauth2/token_probe.ts';
import type { Probe } from '../transport.ts';
import { addressIn } from './address_in.ts';
import type { HttpTarget } from './http_message.ts';
import type { Reach } from './reach.ts';

interface ProbeEffects extends Pick<Effects, 'now' | 'env' | 'http'> {
  readonly reach: Reach;
}

/**
 * Whether a server can be reached and speaks TLS, and whether there are tokens for it. No request is made to the server
 * itself: it may take any for a submission.
 */
export const httpProbe = (effects: ProbeEffects): Probe<HttpTarget> => ({
  serverOf: ({ address, name, oauth2 }) =>
    (address instanceof URL ? address.origin : name) + sourceOf(oauth2),
  look: async (target, timeoutMs) => {
    const { oauth2 } = target;
    const scope = scopeOf('', { values: new Map(), receivedAt: 0 }, effects);
    const tokens = oauth2 && probeToken(() => oauth2.grantOf(scope), timeoutMs, effects, false);
    const all = [await reached(target, timeoutMs, effects), (await tokens)?.diagnosis];
    return all.filter((one) => one !== undefined);
  },
});

async function reached(
  { address, name }: HttpTarget,
  timeoutMs: number,
  { reach, now, env }: ProbeEffects,
): Promise<Diagnosis> {
  const isSecret = !(address instanceof URL);
  const subject = isSecret ? name : address.origin;
  const found = isSecret ? addressNow(address.env, env) : address;
  if (!(found instanceof URL)) return found;
  const { protocol, hostname, port: given } = found;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tls = protocol === 'https:';
  const port = Number(given) || (tls ? 443 : 80);
  try {
    const { certificateUntil } = await reach({ host, port, tls, timeoutMs });
    if (certificateUntil !== undefined && endsSoon(certificateUntil, now())) {
      const says = `its certificate ends on ${day(certificateUntil)}; from then on nothing is delivered`;
      return warning(subject, says, 'See that it is renewed in time.');
    }
    if (certificateUntil !== undefined) {
      const says = `speaks TLS, with a certificate until ${day(certificateUntil)}; no request was made`;
      return ok(subject, says);
    }
    if (isLoopback(host)) return ok(subject, 'takes connections; no request was made');
    const says = 'takes connections, and submissions travel there in the clear';
    return warning(subject, says, 'Use https:// in the url.');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(
      subject,
      error.message,
      connectionRemedy(error.code, isSecret ? `the host of ${name}` : host, port),
    );
  }
}

/** The address that a variable holds now, or why it holds none. */
function addressNow(name: string, env: Effects['env']): URL | Diagnosis {
  try {
    return addressIn(name, env).url;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(name, error.message, `Set ${name} to the whole address, as the service shows it.`);
  }
}
