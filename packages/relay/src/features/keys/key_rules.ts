/** Why a sender's key is not taken, without revealing it; `undefined` if it may be used. */
export function weaknessOfKey(key: string): string | undefined {
  if (key.length < leastLength)
    return `has ${key.length} characters, and a key needs at least ${leastLength}`;
  if (key.length > mostLength) return `has ${key.length} characters, and a key has at most ${mostLength}`;
  if (!token.test(key)) return 'has characters that no Authorization header takes after Bearer';
  return new Set(key).size < leastDifferent ? 'repeats a few characters, which can be guessed' : undefined;
}

const leastLength = 32;
const mostLength = 512;
const leastDifferent = 10;

/** RFC 6750, 2.1. */
const token = /^[A-Za-z0-9._~+/-]+=*$/;
