import { randomBytes } from 'node:crypto';
import { secretPrefix } from '@form-relay/clients/webhook/secret';

/** As many bytes as HMAC-SHA-256 gives: more would not make it stronger. */
const secretBytes = 32;

/** Prints a secret that no one has seen. */
export function printSecret(): void {
  process.stdout.write(`${secretPrefix}${randomBytes(secretBytes).toString('base64')}\n`);
}

/** So that scanners of repositories and logs recognise a key. */
const prefix = 'frk_';

/** 32 random bytes, in digits that a double click selects as a whole. */
export function printSenderKey(): void {
  let left = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let key = '';
  for (let at = 0; at < length; at += 1) {
    key = `${digits[Number(left % 62n)]}${key}`;
    left /= 62n;
  }
  process.stdout.write(`${prefix}${key}\n`);
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 62 to this power is more than 256 bits hold. */
const length = 43;
