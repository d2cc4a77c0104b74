/** The puzzle that a token carries, and its solution. Uses ALTCHA's format (version 1), so that ALTCHA's widget solves it, too. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { asciiDigits } from '@form-relay/base/unicode';
import { maxValueBytes } from '@form-relay/base/values';
import { isMap } from '@form-relay/schema/schema';

/** A puzzle as a browser gets it. The browser looks for the number whose SHA-256 hash, after the salt, is the challenge. */
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

/** The hidden field with the solution, as ALTCHA's widget sends it, or with the number that the visitor typed. */
export const proofField = 'altcha';

/** The upper limit of the number. Browsers try half of that on average. */
export const hardness = {
  /** For all visitors, while they fill in the form. */
  usual: 100_000,
  /** For challenged visitors. */
  challenged: 400_000,
} as const;

export interface Puzzle {
  /** Unique to each puzzle, because a solution counts once. */
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The upper limit of the number. */
  readonly most: number;
}

/** The puzzle is derived from the nonce, so the relay does not have to store it. */
export function makeChallenge(secret: string, formId: string, puzzle: Puzzle): Challenge {
  const { expiresAt, most } = puzzle;
  const parameters = new URLSearchParams({
    form: formId,
    expires: String(Math.ceil(expiresAt / 1_000)),
    max: String(most),
  });
  const { unique, number } = secretsOf(secret, puzzle);
  // Without the last `&`, digits of the number could be taken for digits of a parameter.
  const salt = `${unique}?${parameters}&`;
  const challenge = hashOf(salt, number);
  return {
    algorithm: 'SHA-256',
    challenge,
    maxnumber: most,
    salt,
    signature: signatureOf(secret, challenge),
  };
}

/** The solution that a browser would send, computed without a search. For dry runs. */
export function solutionFor(secret: string, formId: string, puzzle: Puzzle): string {
  const { maxnumber: _, ...challenge } = makeChallenge(secret, formId, puzzle);
  const { number } = secretsOf(secret, puzzle);
  return Buffer.from(JSON.stringify({ ...challenge, number })).toString('base64');
}

function secretsOf(secret: string, { nonce, most }: Puzzle) {
  const digest = createHmac('sha256', secret).update(`form-relay puzzle\0${nonce}`).digest();
  return { unique: digest.toString('hex', 0, 12), number: digest.readUInt32BE(12) % (most + 1) };
}

const hashOf = (salt: string, number: number): string => hash('sha256', `${salt}${number}`, 'hex');

/** Uses a derived key, which separates the uses of the secret; in hexadecimal, because ALTCHA's libraries take keys as text. */
function signatureOf(secret: string, challenge: string): string {
  const key = createHmac('sha256', secret).update('form-relay proof').digest('hex');
  return createHmac('sha256', key).update(challenge).digest('hex');
}

/** Why a solution is rejected, or what it proves. */
export type Solved =
  | { readonly code: 'malformed' | 'forged' | 'wrong' | 'other_form' | 'expired' }
  | {
      readonly code: 'solved';
      /** The upper limit of the number. */
      readonly most: number;
      /** Identifies the puzzle. */
      readonly signature: string;
    };

/**
 * Checks the signature first, in constant time, so that only puzzles that this relay made are examined. The signature
 * covers the challenge, a hash of salt and number, and the salt holds the form, the expiry and the upper limit.
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

type Sent = Pick<Challenge, 'challenge' | 'salt' | 'signature'> & { readonly number: number };

function parse(payload: string): Sent | undefined {
  let sent: unknown;
  try {
    sent = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  const { algorithm, challenge, salt, number, signature } = isMap(sent) ? sent : {};
  if (algorithm !== 'SHA-256' || !isHash(challenge) || !isHash(signature)) return undefined;
  if (typeof salt !== 'string' || !salt.endsWith('&')) return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  return { challenge, salt, number, signature };
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** The number that a visitor without a script types: four digits, derived from the token of the form that is shown again. */
export function answerFor(secret: string, formId: string, token: string): string {
  const digest = createHmac('sha256', secret).update(`form-relay question\0${formId}\0${token}`).digest();
  return String(1_000 + (digest.readUInt32BE() % 9_000));
}

/**
 * The four digits that a visitor typed, as ASCII digits; `undefined` for anything else. Keyboards for Arabic, Persian,
 * Hindi and full-width text have their own digits (Unicode's Nd), and people put spaces between digits.
 */
export function typedNumber(text: string): string | undefined {
  if (text.length > mostCharacters) return undefined;
  const digits = asciiDigits(text).replaceAll(isBetween, '');
  return /^\d{4}$/.test(digits) ? digits : undefined;
}

/** A solution is much longer. */
const mostCharacters = 20;

/** Spaces and thousands separators. */
const isBetween = /[\s.,'’٬]/g;
