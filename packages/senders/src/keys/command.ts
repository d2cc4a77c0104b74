/** `relay keys` and `relay webhook`. */
import { randomBytes } from 'node:crypto';
import { secretPrefix } from '@form-relay/clients/webhook/signature';
import { type Command, command } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';

const keys: Command = {
  name: 'keys',
  summary: 'manage keys of sending servers',
  commands: [
    command({
      name: 'new',
      summary: 'print a new key for a sending server',
      description: 'print a new key for keys_env, of 256 random bits; the relay does not store it',
      examples: [
        [
          'export KEY_BILLING="$(relay keys new)"',
          'for keys_env: [KEY_BILLING]; the server needs the same key',
        ],
      ],
      run: async (_, { print }) => print(`${senderKey()}\n`),
    }),
  ],
};

const webhook: Command = {
  name: 'webhook',
  summary: 'sign webhooks',
  commands: [
    command({
      name: 'secret',
      summary: 'print a new signing secret',
      description: 'print a new secret for sign, of 32 random bytes; the relay does not store it',
      examples: [
        ['export HOOK_SECRET="$(relay webhook secret)"', 'for the relay; the receiver needs the same secret'],
      ],
      run: async (_, { print }) => print(`${secretPrefix}${randomBytes(secretBytes).toString('base64')}\n`),
    }),
  ],
};

export const plugin: Plugin = { name: 'keys', commands: [keys, webhook] };

/** As many bytes as HMAC-SHA-256 outputs. More would not make it stronger. */
const secretBytes = 32;

/** Lets scanners of repositories and logs recognise a key. */
const prefix = 'frk_';

/** 32 random bytes, in characters that a double click selects as a whole. */
function senderKey(): string {
  let left = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let key = '';
  for (let at = 0; at < length; at += 1) {
    key = `${digits[Number(left % 62n)]}${key}`;
    left /= 62n;
  }
  return `${prefix}${key}`;
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 62 to this power exceeds 256 bits. */
const length = 43;
