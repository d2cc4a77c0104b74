import { createHttpClient } from '../../packages/clients/src/http/http_client.ts';
import type { HttpClient } from '../../packages/core/src/services.ts';

/** Streams every body. */
export function createClientInPieces(): HttpClient & { close(): Promise<void> } {
  const send = createHttpClient();
  const client: HttpClient = ({ body, ...request }) => {
    const bytes = Buffer.from(body);
    return send({ ...request, body: '', streamed: { byteLength: bytes.length, pieces: () => [bytes] } });
  };
  return Object.assign(client, { close: send.close });
}
