import type { Retry } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Aws, BytesAnswer } from '@form-relay/core/services';
import { failed } from './failures.ts';
import { type AwsService, signedHeaders, type UnsignedRequest } from './sign.ts';

interface Sending {
  readonly service: AwsService;
  /** Default: the account's. */
  readonly region?: string | undefined;
  readonly request: (region: string) => UnsignedRequest;
  /** Includes the time to find the credentials. */
  readonly timeoutMs: number;
  /** Default: enough for errors. */
  readonly limitBytes?: number | undefined;
}

export async function sendSigned({ account, http, now }: Aws, sending: Sending): Promise<BytesAnswer> {
  const { service, timeoutMs, limitBytes = 65_536 } = sending;
  const deadline = now() + timeoutMs;
  const late = () => {
    throw failed('timed_out', { timeoutMs });
  };
  const known = Promise.all([account.region(sending.region), account.credentials()]);
  const [region, credentials] = await withTimeout(timeoutMs, known, late);
  const leftMs = deadline - now();
  if (leftMs <= 0) late();
  const request = sending.request(region);
  const scope = { region, service, credentials, now: now() };
  // Clients write the host themselves.
  const { host: _, ...headers } = signedHeaders(request, scope);
  const answer = await http({ ...request, headers, timeoutMs: leftMs, limitBytes });
  const { status, isEarly } = answer;
  if (isEarly && status < 300) throw failed('answered_early', { status });
  return answer;
}

/**
 * Whether another try may help after an answer that is no success. AWS throttles by the second: an SES account in the
 * sandbox may send one mail a second.
 */
export function retryOf(answer: BytesAnswer): Retry {
  if (isThrottled(answer)) return { retryAfterMs: 1_000 };
  return answer.status >= 500 ? { retryAfterMs: 0 } : {};
}

/** AWS throttles with status 429 or, in older APIs, with 400. */
const isThrottled = (answer: BytesAnswer) =>
  answer.status === 429 || (answer.status === 400 && /^(Request)?Throttl/i.test(errorName(answer)));

/**
 * AWS's name for an error, from a header, from JSON or (S3) from XML. Empty without one. The message next to the name
 * may hold a visitor's address and is left out.
 */
export function errorName({ headers, body }: BytesAnswer): string {
  const inBody = /"__type"\s*:\s*"([^"]*)"|<Code>([^<]*)<\/Code>/;
  const [, json, xml] = inBody.exec(body.toString('utf8', 0, 65_536)) ?? [];
  const stated = headers['x-amzn-errortype'] ?? json ?? xml ?? '';
  // `com.amazonaws.sesv2#MessageRejected`, `MessageRejected:http://…`
  return /^(?:[\w.]+#)?([A-Za-z]{1,60})(?::|$)/.exec(stated)?.[1] ?? '';
}
