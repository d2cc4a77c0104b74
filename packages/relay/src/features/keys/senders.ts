/** Recognises a server by its key. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { CountPlace } from '../../base/counts.ts';
import type { Effects } from '../../base/effects.ts';
import type { Rate } from '../../schema/rate.ts';
import { weaknessOfKey } from './key_rules.ts';

/** The servers that may send a form. */
export interface Keys {
  /** The variables with their keys. */
  readonly names: readonly string[];
  /** How often each may send it; `undefined`: as often as it likes. */
  readonly limit: Rate | undefined;
  /** Where the relay remembers what was sent under an `Idempotency-Key`; `undefined`: nowhere. */
  readonly where: CountPlace | undefined;
}

/** A server that sends: the variable with its key. */
export interface Sender {
  readonly name: string;
  readonly key: string;
}

/**
 * The sender whose key this is. Compares hashes, since keys may differ in length, and always all of them, so that the time
 * says nothing about any.
 *
 * @param names The variables with keys.
 * @param key As it was sent.
 */
export function senderOf(names: readonly string[], key: string, env: Effects['env']): Sender | undefined {
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
