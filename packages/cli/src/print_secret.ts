import { randomBytes } from 'node:crypto';
import { secretPrefix } from '@form-relay/clients/webhook/secret';

/** As many bytes as HMAC-SHA-256 gives: more would not make it stronger. */
const secretBytes = 32;

/** Prints a secret that no one has seen. */
export function printSecret(): void {
  process.stdout.write(`${secretPrefix}${randomBytes(secretBytes).toString('base64')}\n`);
}
