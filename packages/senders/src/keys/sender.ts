/** Recognises a server by its key. */

import { hash, timingSafeEqual } from 'node:crypto';
import type { Services } from '@form-relay/core/index';

/** A server that sends the form, identified by the variable with its key. */
export interface Sender {
  readonly name: string;
  readonly key: string;
}

/**
 * The sender with this key. Compares hashes, because keys may differ in length, and always all of them, so
 * that the timing reveals nothing.
 *
 * @param names The variables with keys.
 * @param key The key that was sent.
 */
export function senderOf(names: readonly string[], key: string, env: Services['env']): Sender | undefined {
  const sent = digest(key);
  let found: Sender | undefined;
  for (const name of names) {
    const known = env(name) ?? '';
    const isSame = timingSafeEqual(sent, digest(known));
    if (isSame && weaknessOfKey(known) === undefined) found ??= { name, key: known };
  }
  return found;
}

const digest = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Problems with keys that are set, without revealing them. */
export function keyProblems(
  names: readonly string[],
  env: Services['env'],
): readonly { readonly name: string; readonly reason: string }[] {
  const firstOf = new Map<string, string>();
  return names.flatMap((name) => {
    const key = env(name);
    if (!key) return [];
    const weakness = weaknessOfKey(key);
    if (weakness) return [{ name, reason: weakness }];
    const other = firstOf.get(key);
    if (other !== undefined) return [{ name, reason: `holds the same key as ${other}` }];
    firstOf.set(key, name);
    return [];
  });
}

/** Why a key is rejected, without revealing it; `undefined` if it is strong enough. */
function weaknessOfKey(key: string): string | undefined {
  if (key.length < leastLength)
    return `is too short: a key needs at least ${leastLength} characters, and this key has ${key.length}`;
  if (key.length > mostLength)
    return `is too long: a key can have at most ${mostLength} characters, and this key has ${key.length}`;
  if (!token.test(key)) return 'has characters that are not allowed in an Authorization header';
  return new Set(key).size < leastDifferent ? 'repeats a few characters, which can be guessed' : undefined;
}

const leastLength = 32;
const mostLength = 512;
const leastDifferent = 10;

/** RFC 6750, 2.1. */
const token = /^[A-Za-z0-9._~+/-]+=*$/;
