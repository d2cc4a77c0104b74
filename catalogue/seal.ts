/** `seal_to` of `folder` and `s3`: archives that only the owner of a key can read (age-encryption.org). */

import { readFile } from 'node:fs/promises';
import type { MakePlugin } from 'form-relay/plugin';

const make: MakePlugin = (kit) => {
  const key = kit.key.list(kit.key.text(), { orOne: true, least: 1 });

  /** Reads a file like `age -R`: one key per line, and comments after `#`. */
  async function recipientsIn(path: string): Promise<readonly string[]> {
    const text = await readFile(path, 'utf8').catch((error) => {
      throw kit.retry(`${path}, which seal_to_file names, cannot be read: ${error.code}`);
    });
    const lines = text.split('\n').map((line) => line.trim());
    const recipients = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const problem = recipients.length === 0 ? 'contains no key' : recipients.map(problemOf).find(Boolean);
    if (problem) throw kit.retry(`${path}, which seal_to_file names: ${problem}`);
    return recipients;
  }

  return {
    name: 'seal',
    summary: 'Seals archives in folders and buckets to a key of age.',
    outputExtensions: [
      kit.extension.output({
        name: 'seal',
        types: ['folder', 's3'],
        keys: {
          seal_to: kit.key.optional(
            'Public keys from `age-keygen` (`age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p`) that encrypt the archive. The relay never needs the private key (docs/archive-encryption.md).',
            key,
          ),
          seal_to_file: kit.key.optional(
            'Path of a file with public keys (`keys.txt`), one per line, read at each delivery.',
            kit.key.text(),
          ),
        },
        configure: ({ output: { seal_to: keys, seal_to_file: file } }, at) => {
          if (keys && file !== undefined)
            at.in('seal_to_file').error('seal_to already has the keys; remove one of the two', {
              aboutKey: true,
            });
          for (const one of keys ?? []) {
            const problem = problemOf(one);
            if (problem) return at.in('seal_to').error(problem);
          }
          if (!keys && file === undefined) return undefined;
          return {
            ...(file !== undefined && {
              wrapTransport: (inner) => ({
                ...inner,
                probe: async (call) => {
                  await recipientsIn(file);
                  return inner.probe?.(call) ?? [];
                },
              }),
            }),
            encoding: {
              // Drops the visitor's file names from the paths.
              path: (path) => `${path.replace(/(?<=\/[1-9]\d*)-[^/]*$/, '')}.age`,
              encode: async (bytes) => {
                const { Encrypter } = await import('age-encryption');
                const age = new Encrypter();
                for (const one of keys ?? (await recipientsIn(file ?? ''))) age.addRecipient(one);
                return age.encrypt(bytes);
              },
            },
          };
        },
      }),
    ],
  };
};

export default make;

/** The problem with a key. The message does not quote the key, because it may be the private one. */
function problemOf(recipient: string): string | undefined {
  if (/^age-secret-key-/i.test(recipient))
    return 'this is a private key, which can decrypt the archive; use the public key (age1…), and create a new pair if others can read this file';
  if (!/^age1/i.test(recipient)) return 'expected the public key of a pair, such as age1…';
  return isWhole(recipient) ? undefined : 'this public key is malformed or incomplete';
}

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Whether its checksum is right (BIP 173, Bech32). */
function isWhole(recipient: string): boolean {
  const [, data] = /^age1([02-9ac-hj-np-z]{58})$/.exec(recipient) ?? [];
  if (data === undefined) return false;
  const prefix = [...'age'].map((letter) => letter.charCodeAt(0));
  const digits = [...data].map((letter) => letters.indexOf(letter));
  let sum = 1;
  for (const five of [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...digits]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ five;
    for (const [bit, term] of generator.entries()) if ((top >>> bit) & 1) sum ^= term;
  }
  return sum === 1;
}
