import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../../effects.ts';
import type { NodeAnswer } from '../node_http.ts';
import type { Aws } from './account.ts';
import { signedHeaders, type UnsignedRequest } from './sign.ts';

interface Sending extends Aws {
  readonly service: 's3' | 'ses';
  readonly region: string;
  /** For all tries together. */
  readonly timeoutMs: number;
  readonly limitBytes: number;
}

const tries = 3;

/**
 * Sends a signed request. An answer that says "later" (429, 5xx) is tried again after a short, growing wait, as long
 * as the time allows: AWS did not carry such a request out. A request without an answer is not repeated.
 */
export async function sendSigned(request: UnsignedRequest, sending: Sending): Promise<NodeAnswer> {
  const { service, region, account, http, now, timeoutMs, limitBytes } = sending;
  const deadline = now() + timeoutMs;
  const credentials = await account.credentials();
  for (let attempt = 1; ; attempt += 1) {
    const headers = signedHeaders(request, { region, service, credentials, now: now() });
    const leftMs = deadline - now();
    if (leftMs <= 0) throw new ClientError(`no complete answer within ${timeoutMs} ms`);
    const answer = await http({ ...request, headers, timeoutMs: leftMs, limitBytes });
    const waitMs = 100 * 2 ** attempt * (0.5 + Math.random() / 2);
    const isPassing = answer.status === 429 || answer.status >= 500;
    if (!isPassing || attempt === tries || now() + waitMs >= deadline) return answer;
    await sleep(waitMs);
  }
}
