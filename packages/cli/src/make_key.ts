import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { secretPrefix } from '@form-relay/clients/webhook/secret';
import { CommandFailed } from './command_failed.ts';
import { readKeys } from './open_archive.ts';
import { whyUnwritten } from './why_unwritten.ts';

/** Makes a key pair: the private key goes into a file that nobody else can read, the public one is printed. */
export async function makeKey({ out }: { readonly out: string }): Promise<void> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const secret = await generateX25519Identity();
  const recipient = await identityToRecipient(secret);
  const created = `${new Date().toISOString().slice(0, 19)}Z`;
  // As age-keygen writes it.
  const text = `# created: ${created}\n# public key: ${recipient}\n${secret}\n`;
  try {
    await writeFile(out, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const advice = isThere ? ': it may hold the only key to what is sealed. --out names another' : '';
    throw new CommandFailed(`${out}: ${whyUnwritten(error)}${advice}`);
  }
  process.stdout.write(`${recipient}

This is the public key. It may be known to anybody; put it into the config, at each folder or s3 output:

    seal_to: ${recipient}

The private key is in ${out}. It alone opens what is sealed to the public one.
  - Keep it away from the relay: on the computer where you read submissions, not on the server and in no repository.
  - Keep a second copy elsewhere, such as in a password manager. When every copy is lost, so is all that was sealed:
    nobody can open it, neither the relay nor whoever wrote it.
  - Who gets hold of it can read every submission that was sealed to it. Then make a new one, and put its public key
    into the config.

To read an archive: relay archive list --from FOLDER --identity ${out}
`);
}

/** Prints the public keys of the private ones in a file. */
export async function printPublicKeys(file: string): Promise<void> {
  const { identityToRecipient } = await import('age-encryption');
  for (const key of await readKeys(file)) process.stdout.write(`${await identityToRecipient(key)}\n`);
}

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
