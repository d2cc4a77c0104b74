/** The private keys that a person gives: a file of age-keygen or its text, encrypted with a passphrase or not. */
import { err, type Result } from '@form-relay/core/base/result';
import { readIdentities } from '@form-relay/stored/archive/identities';
import { armor, Decrypter } from 'age-encryption';

const isEncrypted = (text: string) => /^\s*(age-encryption\.org\/|-----BEGIN AGE)/.test(text);

/** @param given The bytes of a file, which may be encrypted, or its text. */
export async function openIdentity(
  given: string | Uint8Array,
  passphrase = '',
): Promise<Result<readonly string[], string>> {
  const text = typeof given === 'string' ? given : new TextDecoder().decode(given);
  if (!isEncrypted(text)) return inWords(await readIdentities(text));
  if (passphrase === '') return err('This identity is encrypted. Enter its passphrase.');
  try {
    const isArmored = text.trimStart().startsWith('-');
    const sealed = isArmored ? armor.decode(text) : bytesOf(given);
    if (!/\n-> scrypt /.test(new TextDecoder().decode(sealed.subarray(0, 200))))
      return err('This identity is encrypted to another key. Decrypt it first: age -d -i KEY FILE');
    const age = new Decrypter();
    age.addPassphrase(passphrase);
    return inWords(await readIdentities(await age.decrypt(sealed, 'text')));
  } catch (error) {
    return err(whyShut(error));
  }
}

const bytesOf = (given: string | Uint8Array) =>
  typeof given === 'string' ? new TextEncoder().encode(given) : given;

const inWords = (read: Result<readonly string[], string>) =>
  read.ok ? read : err(`This identity cannot be used: ${read.error}.`);

function whyShut(error: unknown): string {
  const said = error instanceof Error ? error.message : '';
  if (said.includes('no identity matched')) return 'The passphrase is wrong.';
  if (said.includes('work factor'))
    return 'The passphrase takes too long to check: its work factor is above 20.';
  return 'This identity file is damaged.';
}
