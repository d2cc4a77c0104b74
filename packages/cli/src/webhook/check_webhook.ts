import { timingSafeEqual } from 'node:crypto';
import { type SignatureHeader, signatureHeaders, signatureOf } from '@form-relay/clients/webhook/signature';
import type { ReceivedRequest } from './received_request.ts';

export interface Expected {
  readonly key: Buffer;
  /** When it was received, in milliseconds since the epoch; `undefined`: it may be of any age. */
  readonly at: number | undefined;
  /** How far its timestamp may be from `at`, both ways. */
  readonly toleranceMs: number;
}

/** A mistake in a request that should be signed. */
export type WebhookProblem =
  | { readonly code: 'header_missing' | 'header_empty' | 'header_twice'; readonly header: SignatureHeader }
  | { readonly code: 'timestamp_malformed'; readonly found: string }
  | {
      readonly code: 'too_old' | 'too_new';
      readonly sentAt: number;
      readonly at: number;
      readonly toleranceMs: number;
    }
  /** None that begins with `v1,`. */
  | { readonly code: 'no_v1_signature' }
  /** None with the 32 bytes of an HMAC-SHA-256 in base64. */
  | { readonly code: 'signature_malformed' }
  | {
      readonly code: 'signature_differs';
      readonly bodyBytes: number;
      /** The length in `content-length`, if it is another. */
      readonly announcedBytes: number | undefined;
    };

export interface CheckedWebhook {
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly sentAt: number;
  /** Everything that is wrong; none: it is genuine. */
  readonly problems: readonly WebhookProblem[];
}

/** Whether a request is what the owner of the key sent, and just now: Standard Webhooks, "Verifying signatures". */
export function checkWebhook(request: ReceivedRequest, expected: Expected): CheckedWebhook {
  const [id = '', timestamp = '', signature = ''] = signatureHeaders.map(
    (name) => request.headers.get(name)?.[0] ?? '',
  );
  const sentAt = Number(timestamp) * 1_000;
  const headerProblems = signatureHeaders.flatMap((name) => headerProblem(name, request));
  if (headerProblems.length > 0) return { id, sentAt, problems: headerProblems };
  if (!/^\d{1,11}$/.test(timestamp))
    return { id, sentAt, problems: [{ code: 'timestamp_malformed', found: timestamp }] };
  const problems = [
    ...ageProblems(sentAt, expected),
    ...signatureProblems(id, timestamp, signature, request, expected.key),
  ];
  return { id, sentAt, problems };
}

function headerProblem(header: SignatureHeader, { headers }: ReceivedRequest): readonly WebhookProblem[] {
  const values = headers.get(header);
  if (!values) return [{ code: 'header_missing', header }];
  if (values.length > 1) return [{ code: 'header_twice', header }];
  return values[0] === '' ? [{ code: 'header_empty', header }] : [];
}

function ageProblems(sentAt: number, { at, toleranceMs }: Expected): readonly WebhookProblem[] {
  if (at === undefined) return [];
  // A timestamp has whole seconds.
  const ageMs = Math.floor(at / 1_000) * 1_000 - sentAt;
  if (ageMs > toleranceMs) return [{ code: 'too_old', sentAt, at, toleranceMs }];
  return ageMs < -toleranceMs ? [{ code: 'too_new', sentAt, at, toleranceMs }] : [];
}

function signatureProblems(
  id: string,
  timestamp: string,
  signature: string,
  { headers, body }: ReceivedRequest,
  key: Buffer,
): readonly WebhookProblem[] {
  const ofVersion1 = signature.split(' ').filter((one) => one.startsWith('v1,'));
  if (ofVersion1.length === 0) return [{ code: 'no_v1_signature' }];
  const given = ofVersion1.map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
  const whole = given.filter(({ length }) => length === signatureBytes);
  if (whole.length === 0) return [{ code: 'signature_malformed' }];
  const expected = Buffer.from(signatureOf(id, timestamp, body, key), 'base64');
  if (whole.some((one) => timingSafeEqual(one, expected))) return [];
  const announced = Number(headers.get('content-length')?.[0] ?? body.length);
  const announcedBytes = announced === body.length ? undefined : announced;
  return [{ code: 'signature_differs', bodyBytes: body.length, announcedBytes }];
}

const signatureBytes = 32;
