import { ClientError } from '../../client_error.ts';
import type { HttpTarget } from '../../transports/http/http_message.ts';
import { isLoopback } from '../../url.ts';
import { connectionRemedy, date, endsSoon } from './connection.ts';
import { type Diagnosis, type Examine, failure, ok, timeoutMs, warning } from './diagnosis.ts';
import { groupBy, httpOutputs, type PlacedOutput, places } from './outputs.ts';
import type { World } from './world.ts';

/**
 * Whether each server that outputs post to can be reached and speaks TLS. No request is made: a server may take any for
 * a submission.
 */
export const examineHttpOutputs: Examine = ({ forms }, world) =>
  Promise.all(
    groupBy(httpOutputs(forms), ({ target }) => target.url.origin).map((outputs) => server(outputs, world)),
  );

async function server(
  outputs: readonly [PlacedOutput<HttpTarget>, ...PlacedOutput<HttpTarget>[]],
  { reach, now }: World,
): Promise<Diagnosis> {
  const { origin, protocol, hostname, port: given } = outputs[0].target.url;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tls = protocol === 'https:';
  const port = Number(given) || (tls ? 443 : 80);
  try {
    const { certificateUntil } = await reach({ host, port, tls, timeoutMs });
    if (certificateUntil !== undefined && endsSoon(certificateUntil, now())) {
      const says = `its certificate ends on ${date(certificateUntil)}; from then on nothing is delivered`;
      return warning(origin, says, 'See that it is renewed in time.');
    }
    if (certificateUntil !== undefined) {
      return ok(
        origin,
        `speaks TLS, with a certificate until ${date(certificateUntil)}; no request was made`,
      );
    }
    return isLoopback(host)
      ? ok(origin, 'takes connections; no request was made')
      : warning(
          origin,
          'takes connections, and submissions travel there in the clear',
          'Use https:// in the url.',
        );
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, code } = error;
    return failure(origin, `${message} (${places(outputs)})`, connectionRemedy(code, host, port));
  }
}
