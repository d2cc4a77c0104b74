import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../../effects.ts';
import type { NodeAnswer } from '../node_http.ts';
import type { Aws } from './account.ts';
import { signedHeaders, type UnsignedRequest } from './sign.ts';

interface Sending {
  readonly service: 's3' | 'ses';
  readonly request: (region: string) => UnsignedRequest;
  /** For all tries together, and for finding credentials. */
  readonly timeoutMs: number;
  readonly limitBytes: number;
}

const tries = 3;

/**
 * Sends a signed request. An answer that says "later" (429, 5xx) is tried again after a short, growing wait, as long
 * as the time allows; AWS's own clients do the same. A request without an answer is not repeated: it may have been
 * carried out.
 */
export async function sendSigned({ account, http, now }: Aws, sending: Sending): Promise<NodeAnswer> {
  const { service, timeoutMs, limitBytes } = sending;
  const deadline = now() + timeoutMs;
  const late = new ClientError(`no complete answer within ${timeoutMs} ms`);
  const known = Promise.all([account.region(), account.credentials()]);
  const [region, credentials] = await orAfter(timeoutMs, known, late);
  const request = sending.request(region);
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = deadline - now();
    if (leftMs <= 0) throw late;
    const headers = signedHeaders(request, { region, service, credentials, now: now() });
    const answer = await http({ ...request, headers, timeoutMs: leftMs, limitBytes });
    const waitMs = 100 * 2 ** attempt * (0.5 + Math.random() / 2);
    const isPassing = answer.status === 429 || answer.status >= 500;
    if (!isPassing || attempt === tries || now() + waitMs >= deadline) return answer;
    await sleep(waitMs);
  }
}

/** What `work` gives; or `late` is thrown, and `work` is left to itself. */
async function orAfter<T>(ms: number, work: Promise<T>, late: Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, late);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
