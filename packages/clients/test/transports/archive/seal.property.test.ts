import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { runs } from '../../../../../test/support/fuzz.ts';
import { type Recipient, readRecipient, seal } from '../../../../more-outputs/src/age.ts';

const identities = await Promise.all(Array.from({ length: 3 }, generateX25519Identity));
const keys = await Promise.all(identities.map(identityToRecipient));
const recipients = keys.map((key): Recipient => {
  const recipient = readRecipient(key);
  if (typeof recipient === 'string') throw new Error(recipient);
  return recipient;
});

const sealed = (content: Uint8Array, for_: readonly Recipient[]) =>
  Buffer.concat([...seal(content, for_).pieces()]);

const open = async (bytes: Uint8Array, identity: string) => {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return Buffer.from(await decrypter.decrypt(bytes));
};

const contents = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  // Around the ends of chunks.
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -2, max: 2 }))
    .map(([chunks, more]) => Buffer.alloc(Math.max(0, chunks * 65_536 + more), 7)),
);

test('age’s own library opens it for each recipient, and for nobody else', () =>
  fc.assert(
    fc.asyncProperty(contents, fc.integer({ min: 1, max: 2 }), async (content, count) => {
      const bytes = sealed(content, recipients.slice(0, count));
      for (const identity of identities.slice(0, count)) {
        expect((await open(bytes, identity)).equals(content)).toBe(true);
      }
      await expect(open(bytes, identities[2] ?? '')).rejects.toThrow();
    }),
    runs(8, 0.1),
  ));

test('its length is known before, and its pieces are the same whenever they are asked for', () =>
  fc.assert(
    fc.property(contents, (content) => {
      const made = seal(content, recipients);
      const bytes = Buffer.concat([...made.pieces()]);
      expect(bytes.length).toBe(made.byteLength);
      expect(Buffer.concat([...made.pieces()]).equals(bytes)).toBe(true);
    }),
    runs(8),
  ));

test('the same content is never sealed the same way', () => {
  const content = Buffer.from('hello');
  expect(sealed(content, recipients).equals(sealed(content, recipients))).toBe(false);
});

test.runIf(spawnSync('age', ['--version']).status === 0)('Debian’s age opens it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-age-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = join(folder, 'key.txt');
  writeFileSync(key, `# a comment\n${identities[1]}\n`);
  for (const length of [0, 1, 65_536, 65_537, 200_000]) {
    const content = Buffer.alloc(length, 'x');
    const opened = execFileSync('age', ['--decrypt', '--identity', key], {
      input: sealed(content, recipients),
    });
    expect(opened.equals(content)).toBe(true);
  }
});

test('nothing is sealed for nobody', () => {
  expect(() => seal(Buffer.from('hello'), [])).toThrow();
});

test('a key with one letter wrong, too much or missing is none', () =>
  fc.assert(
    fc.property(
      fc.constantFrom(...keys),
      fc.integer({ min: 0, max: 61 }),
      fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7lb1o'),
      fc.constantFrom('change', 'add', 'remove'),
      (key, at, letter, how) => {
        const changed =
          key.slice(0, at) + (how === 'remove' ? '' : letter) + key.slice(at + (how === 'add' ? 0 : 1));
        fc.pre(changed !== key);
        expect(readRecipient(changed)).toEqual(expect.any(String));
      },
    ),
    runs(50),
  ));

test.each([
  // Of small order: everybody would share the same secret (RFC 7748, 6.1).
  ['age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z', 'recipient_malformed'],
  [keys[0]?.toUpperCase() ?? '', 'recipient_malformed'],
  [identities[0] ?? '', 'identity_as_recipient'],
  [identities[0]?.toLowerCase() ?? '', 'identity_as_recipient'],
  ['age1pq1qqqqqqqqqq', 'recipient_of_other_kind'],
  ['age1yubikey1qqqqqqqqqq', 'recipient_of_other_kind'],
  ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5', 'recipient_of_other_kind'],
  ['ada@example.org', 'not_a_recipient'],
  ['', 'not_a_recipient'],
])('%s is no key to seal for', (text, problem) => {
  expect(readRecipient(text)).toBe(problem);
});
