/** The puzzle that a token carries, in ALTCHA's format (its version 1), so that its widget solves it, too; and its solution. */
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

/** The hidden field with the solution, as ALTCHA's widget sends it; or with the number that somebody typed. */
export const proofField = 'altcha';

/** How large the number may be: half of that is tried on average. */
export const hardness = {
  /** For all visitors, while they fill in the form. */
  usual: 100_000,
  /** For challenged visitors. */
  challenged: 400_000,
} as const;

export interface Puzzle {
  /** Different for each: one that is solved counts once. */
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** How large the number may be. */
  readonly most: number;
}

/** Follows from the nonce, so that nothing needs to be remembered of it. */
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

/** The solution that a browser would send, computed without searching. For dry runs. */
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

/** With a key of its own, which keeps the secret's uses apart; in hexadecimal, since ALTCHA's libraries take keys as text. */
function signatureOf(secret: string, challenge: string): string {
  const key = createHmac('sha256', secret).update('form-relay proof').digest('hex');
  return createHmac('sha256', key).update(challenge).digest('hex');
}

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
 * The signature is looked at first, in constant time: only what this relay made is looked at further. The signature
 * binds the challenge, which is a hash of salt and number, and with the salt its form, its end and its size.
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

/** The number that a visitor without a script types: four digits, derived from the token of the form that came back. */
export function answerFor(secret: string, formId: string, token: string): string {
  const digest = createHmac('sha256', secret).update(`form-relay question\0${formId}\0${token}`).digest();
  return String(1_000 + (digest.readUInt32BE() % 9_000));
}

/**
 * The four digits that somebody typed, as ASCII ones; `undefined` of anything else. Keyboards of some languages have
 * digits of their own (Unicode's Nd in Arabic, Persian, Hindi and full width), and people put spaces between.
 */
export function typedNumber(text: string): string | undefined {
  if (text.length > mostCharacters) return undefined;
  const digits = asciiDigits(text).replaceAll(isBetween, '');
  return /^\d{4}$/.test(digits) ? digits : undefined;
}

/** A solution is much longer. */
const mostCharacters = 20;

/** Spaces, and what groups thousands. */
const isBetween = /[\s.,'’٬]/g;
