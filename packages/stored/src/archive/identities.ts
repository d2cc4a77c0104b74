import { err, ok, type Result } from '@form-relay/base/result';

/** Opens what is sealed, or says in words why it stays shut. */
export type Unseal = (sealed: Uint8Array) => Promise<Result<Uint8Array, string>>;

/** The private keys in a file as age-keygen and `relay key new` write it, or in words why there are none. */
export async function readIdentities(text: string): Promise<Result<readonly string[], string>> {
  if (/^(age-encryption\.org\/|-----BEGIN AGE)/.test(text))
    return err('it is itself encrypted, with a passphrase; decrypt it first: age -d FILE > key.txt');
  const { identityToRecipient } = await import('age-encryption');
  const keys: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    // Bech32 is written in one case or the other (BIP 173).
    const key = line.trim().toUpperCase();
    if (key === '' || key.startsWith('#')) continue;
    const at = `line ${index + 1}`;
    if (key.startsWith('AGE1')) return err(`${at} holds a public key, which opens nothing; ${needed}`);
    if (!key.startsWith('AGE-SECRET-KEY-')) return err(`${at} holds no private key; ${needed}`);
    try {
      await identityToRecipient(key);
    } catch {
      return err(`the private key on ${at} is malformed; is all of it there?`);
    }
    keys.push(key);
  }
  return keys.length > 0 ? ok(keys) : err(`it holds no private key; ${needed}`);
}

const needed = 'a private key begins with AGE-SECRET-KEY-1';

/** @param keys As `readIdentities` gives them. */
export async function unsealWith(keys: readonly string[]): Promise<Unseal> {
  const { Decrypter } = await import('age-encryption');
  const age = new Decrypter();
  for (const key of keys) age.addIdentity(key);
  return async (sealed) => {
    try {
      return ok(await age.decrypt(sealed));
    } catch (error) {
      return err(whyShut(error));
    }
  };
}

/** The age library states the reason only in its message. */
const whyShut = (error: unknown) =>
  error instanceof Error && error.message.includes('no identity matched')
    ? 'is sealed to another key'
    : 'is damaged: it is not as it was sealed';
