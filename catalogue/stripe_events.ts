/** Signed events from Stripe about a Checkout Session. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of an event that are used. */
export interface StripeEvent {
  readonly type: string;
  readonly session: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const toleranceMs = 5 * 60_000;

/** Whether Stripe signed this body within the last minutes (https://docs.stripe.com/webhooks#verify-manually). */
export function isSigned(header: string, body: Uint8Array, secret: string, now: number): boolean {
  const parts = header.split(',').map((part) => part.trim().split('=', 2));
  const at = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (secret === '' || !/^\d{1,12}$/.test(at) || Math.abs(now - Number(at) * 1_000) > toleranceMs)
    return false;
  const right = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, given = '']) => {
    const bytes = name === 'v1' && /^[0-9a-f]{64}$/.test(given) ? Buffer.from(given, 'hex') : undefined;
    return bytes !== undefined && timingSafeEqual(bytes, right);
  });
}

/** The event in a body; `undefined` if there is none. */
export function readEvent(body: Uint8Array): StripeEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
  const { type, data } = membersOf(event);
  const { object } = membersOf(data);
  if (typeof type !== 'string' || typeof object !== 'object' || object === null) return undefined;
  const session = membersOf(object);
  return { type, session, metadata: membersOf(session.metadata) };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
