/** Reads the solution that came with a submission. */
import { timingSafeEqual } from 'node:crypto';
import { maxValueBytes } from '@form-relay/core/kit';
import { hashOf, signatureOf } from './challenge.ts';

/** Why a solution does not count, or what it proves. */
export type Solved =
  | { readonly code: 'malformed' | 'forged' | 'wrong' | 'other_form' | 'expired' }
  | {
      readonly code: 'solved';
      /** How large the number could be. */
      readonly most: number;
      /** Names the puzzle. */
      readonly signature: string;
    };

/**
 * The signature is looked at first, in constant time: only what this relay made is looked at further. It binds the
 * challenge, which is a hash of salt and number, and with the salt its form, its end and its size.
 */
export function readSolution(secret: string, formId: string, payload: string, now: number): Solved {
  const sent = payload.length <= maxValueBytes ? parse(payload) : undefined;
  if (!sent) return { code: 'malformed' };
  const { challenge, salt, number, signature } = sent;
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, challenge)));
  if (!isSigned) return { code: 'forged' };
  if (hashOf(salt, number) !== challenge) return { code: 'wrong' };
  const parameters = new URLSearchParams(salt.slice(salt.indexOf('?') + 1));
  if (parameters.get('form') !== formId) return { code: 'other_form' };
  if (!(Number(parameters.get('expires')) * 1_000 > now)) return { code: 'expired' };
  return { code: 'solved', most: Number(parameters.get('max')), signature };
}

interface Sent {
  readonly challenge: string;
  readonly salt: string;
  readonly number: number;
  readonly signature: string;
}

function parse(payload: string): Sent | undefined {
  let sent: Partial<Record<string, unknown>>;
  try {
    sent = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { algorithm, challenge, salt, number, signature } = sent;
  if (algorithm !== 'SHA-256' || !isHash(challenge) || !isHash(signature)) return undefined;
  if (typeof salt !== 'string' || !salt.endsWith('&')) return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  return { challenge, salt, number, signature };
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
