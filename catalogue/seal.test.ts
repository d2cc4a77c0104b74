/** Encrypted archives, opened by the relay's own command and by Debian's age if installed (`apt-get install age`). */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { tryRelay } from 'form-relay/testing';
import { afterAll, expect, test } from 'vitest';
import { diagnose } from '../packages/doctor/test/stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'seal-'));
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const identityFile = join(folder, 'key.txt');
const recipients = join(folder, 'recipients.txt');
writeFileSync(identityFile, `# made for a test\n${identity}\n`);
writeFileSync(recipients, `# the office\n${recipient}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

async function archived(keys: object, spam = {}) {
  const path = mkdtempSync(join(folder, 'archive-'));
  const relay = await tryRelay({
    forms: {
      jobs: {
        fields: [{ name: 'email', type: 'email' }, { name: 'cv', type: 'file' }, { name: 'website' }],
        outputs: [{ type: 'folder', path, ...keys }],
        ...spam,
      },
    },
    env: { FORM_TOKEN_SECRET: '0123456789abcdef0123456789abcdef' },
  });
  const cv = new File(['Ada Lovelace'], 'Lovelace.txt', { type: 'text/plain' });
  const { status, text } = await relay.submit('jobs', { email: 'ada@example.org', cv, hidden: 'a bot' });
  await relay.close();
  const names = readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const files = names.flatMap((one) => (one.isFile() ? join(one.parentPath, one.name) : [])).toSorted();
  return { status, text, files, document: files.find((name) => name.endsWith('.json.age')) ?? '' };
}

const opened = async (path: string) => {
  const age = new Decrypter();
  age.addIdentity(identity);
  return Buffer.from(await age.decrypt(readFileSync(path))).toString();
};

test.each([
  ['a key', { seal_to: recipient }],
  ['a list of keys', { seal_to: [recipient, await identityToRecipient(await generateX25519Identity())] }],
  ['a file of keys', { seal_to_file: recipients }],
])('%s encrypts the document and its files, and their names reveal nothing', async (_, keys) => {
  const { files, document } = await archived(keys);
  expect(files.map((path) => path.replace(/.*Z-[\da-f-]+-0/, ''))).toEqual(['.json.age', '/1.age']);
  for (const path of files) expect(readFileSync(path, 'latin1')).not.toMatch(/ada@|Lovelace/);
  const { fields, files: [cv] = [] } = JSON.parse(await opened(document));
  expect(fields[0]).toMatchObject({ name: 'email', values: ['ada@example.org'] });
  expect(cv).toMatchObject({ name: 'Lovelace.txt', size: 12, path: expect.stringMatching(/\/1\.age$/) });
  expect(await opened(files.find((path) => path.endsWith('/1.age')) ?? '')).toBe('Ada Lovelace');
});

test('rejected submissions are encrypted, too', async () => {
  const spam = { spam: { honeypot: 'hidden', keep_dropped: '30d' } };
  const { files, document } = await archived({ seal_to: recipient }, spam);
  const stored = files.filter((path) => !path.endsWith('.swept'));
  expect(stored.map((path) => path.replace(/.*Z-[\da-f-]+-0/, ''))).toEqual(['.json.age', '/1.age']);
  expect(JSON.parse(await opened(document)).dropped.by).toBe('honeypot');
});

test.skipIf(!existsSync('/usr/bin/age'))('age decrypts what was encrypted', async () => {
  const { document } = await archived({ seal_to: recipient });
  const clear = execFileSync('/usr/bin/age', ['--decrypt', '--identity', identityFile, document]);
  expect(JSON.parse(clear.toString()).form).toBe('jobs');
});

test('without a key, nothing is archived', async () => {
  writeFileSync(join(folder, 'empty.txt'), '# none\n');
  for (const name of ['empty.txt', 'missing.txt']) {
    const { status, files } = await archived({ seal_to_file: join(folder, name) });
    expect([status, files]).toEqual([500, []]);
    const output = { type: 'folder', path: folder, seal_to_file: join(folder, name) };
    const config = JSON.stringify({ forms: { jobs: { fields: [{ name: 'email' }], outputs: [output] } } });
    expect((await diagnose('Archives', config)).join()).toMatch(/^failure .*seal_to_file names/);
  }
});

test.each([
  [{ seal_to: identity }, /this is a private key/],
  [{ seal_to: recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')) }, /malformed/],
  [{ seal_to: 'ssh-ed25519 AAAA' }, /expected the public key/],
  [{ seal_to: [] }, /at least 1/],
  [{ seal_to: recipient, seal_to_file: recipients }, /remove one of the two/],
])('a wrong key is an error in the config', async (keys, says) => {
  const failing = archived(keys);
  await expect(failing).rejects.toThrow(says);
  await expect(failing).rejects.not.toThrow(identity.slice(-20));
});
