/** The puzzle that a token carries, in ALTCHA's format (its version 1), so that its widget solves it, too. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a browser is given. It looks for the number whose SHA-256 hash, after the salt, is the challenge. */
export interface Challenge {
  readonly algorithm: 'SHA-256';
  /** Hexadecimal. */
  readonly challenge: string;
  readonly maxnumber: number;
  /** `<hex>?form=…&expires=<unix seconds>&max=<maxnumber>&` */
  readonly salt: string;
  /** HMAC-SHA-256 over the challenge, hexadecimal. */
  readonly signature: string;
}

/** How large the number may be: half of that is tried on average. */
export const hardness = {
  /** Where everybody solves one while filling in the form. */
  usual: 100_000,
  /** Where somebody is challenged. */
  challenged: 400_000,
} as const;

/**
 * @param nonce Different for each puzzle: one that is solved counts once.
 * @param expiresAt Milliseconds since the epoch.
 */
export function makeChallenge(
  secret: string,
  formId: string,
  { nonce, expiresAt, most }: { readonly nonce: string; readonly expiresAt: number; readonly most: number },
): Challenge {
  const parameters = new URLSearchParams({
    form: formId,
    expires: String(Math.ceil(expiresAt / 1_000)),
    max: String(most),
  });
  // Without the last `&`, digits of the number could be taken for digits of a parameter.
  const digest = createHmac('sha256', secret).update(`form-relay puzzle\0${nonce}`).digest();
  const salt = `${digest.toString('hex', 0, 12)}?${parameters}&`;
  const challenge = hash(salt, digest.readUInt32BE(12) % (most + 1));
  return { algorithm: 'SHA-256', challenge, maxnumber: most, salt, signature: sign(secret, challenge) };
}

/** Why a solution does not count, or what it proves. */
export type Solved =
  | { readonly code: 'malformed' | 'forged' | 'wrong' | 'other_form' | 'expired' }
  | {
      readonly code: 'solved';
      readonly most: number;
      /** Milliseconds since the epoch. */
      readonly expiresAt: number;
      /** Names the puzzle. */
      readonly signature: string;
    };

/** What a browser sends: base64 of JSON, at most this long. */
const mostCharacters = 4_096;

export function readSolution(secret: string, formId: string, payload: string, now: number): Solved {
  const sent = payload.length <= mostCharacters ? parse(payload) : undefined;
  if (!sent) return { code: 'malformed' };
  const { challenge, salt, number, signature } = sent;
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, challenge)));
  if (!isSigned) return { code: 'forged' };
  if (hash(salt, number) !== challenge) return { code: 'wrong' };
  const parameters = new URLSearchParams(salt.slice(salt.indexOf('?') + 1));
  if (parameters.get('form') !== formId) return { code: 'other_form' };
  const expiresAt = Number(parameters.get('expires')) * 1_000;
  if (!(expiresAt > now)) return { code: 'expired' };
  return { code: 'solved', most: Number(parameters.get('max')), expiresAt, signature };
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
  const isHash = (value: unknown): value is string =>
    typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  if (algorithm !== 'SHA-256' || !isHash(challenge) || !isHash(signature)) return undefined;
  if (typeof salt !== 'string' || !salt.endsWith('&')) return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  return { challenge, salt, number, signature };
}

const hash = (salt: string, number: number) => createHash('sha256').update(`${salt}${number}`).digest('hex');

// The prefix keeps the secret's uses apart.
const sign = (secret: string, challenge: string) =>
  createHmac('sha256', secret).update(`form-relay proof\0${challenge}`).digest('hex');

/** What a person without a script is asked for: four digits that follow from the token of the form that came back. */
export function answerFor(secret: string, formId: string, token: string): string {
  const digest = createHmac('sha256', secret).update(`form-relay question\0${formId}\0${token}`).digest();
  return String(1_000 + (digest.readUInt32BE() % 9_000));
}
