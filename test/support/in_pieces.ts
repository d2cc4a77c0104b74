import type { HttpClient } from '../../packages/relay/src/base/effects.ts';
import { createUndiciClient } from '../../packages/relay/src/transports/http/undici_client.ts';

/** Sends every body in pieces, through undici. */
export function createClientInPieces(): HttpClient & { close(): Promise<void> } {
  const send = createUndiciClient();
  const client: HttpClient = ({ body, ...request }) => {
    const bytes = Buffer.from(body);
    return send({ ...request, body: '', streamed: { byteLength: bytes.length, pieces: () => [bytes] } });
  };
  return Object.assign(client, { close: send.close });
}
