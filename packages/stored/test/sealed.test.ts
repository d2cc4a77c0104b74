import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { openTerminal } from '../../cli/test/terminal.ts';
import { entryFiles, writeEntry } from './entries.ts';

const first = '7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11';
const second = '7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a12';

async function keyPair() {
  const secret = await generateX25519Identity();
  return { secret, recipient: await identityToRecipient(secret) };
}

/** Two submissions, each sealed to its own key, and the files with these keys. */
async function openSealed() {
  const [ours, others] = [await keyPair(), await keyPair()];
  const terminal = await openTerminal({
    files: {
      'ours.txt': `# public key: ${ours.recipient}\n${ours.secret}\n`,
      'others.txt': others.secret,
      'both.txt': `${others.secret}\r\n\r\n${ours.secret.toLowerCase()}\r\n`,
    },
  });
  const root = join(terminal.cwd, 'archive');
  await writeEntry(root, {
    id: first,
    at: '2026-11-20T10:00:00.000Z',
    values: { name: ['Ada'] },
    files: [['cv', 'cv.txt', 'my cv']],
    sealTo: [ours.recipient],
  });
  await writeEntry(root, {
    id: second,
    at: '2026-11-21T10:00:00.000Z',
    values: { name: ['Grace'] },
    sealTo: [others.recipient],
  });
  return { terminal, root, ours };
}

describe('sealed submissions', () => {
  test('is listed without a key: its time, form and id', async () => {
    const { terminal } = await openSealed();
    expect(await terminal.run('relay archive list --from archive')).toEqual({
      stdout: `2026-11-20T10:00:00.000Z  ${first}  contact  (sealed)\n2026-11-21T10:00:00.000Z  ${second}  contact  (sealed)\n`,
      stderr: '',
      code: 0,
    });
  });

  test('is exported with all the keys of a file', async () => {
    const { terminal } = await openSealed();
    const { stdout, stderr, code } = await terminal.run(
      'relay archive export --from archive --identity both.txt',
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout.split('\r\n').slice(1, 3)).toEqual([
      expect.stringMatching(/"Ada","contact\/2026\/11\/20\/[^"]+-0\/1\.age"$/),
      expect.stringMatching(/"Grace",""$/),
    ]);
  });

  test('is not exported without a key: each is reported and counted', async () => {
    const { terminal } = await openSealed();
    const { stdout, stderr, code } = await terminal.run('relay archive export --from archive --format jsonl');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr.match(/is sealed; add --identity and the file with the private key/g)).toHaveLength(2);
    expect(stderr).toContain('2 submissions could not be read\n');
  });

  test('is shown with the key, and its files are written decrypted, readable only by the user', async () => {
    const { terminal } = await openSealed();
    const { stdout, code } = await terminal.run(
      `relay archive show ${first} --from archive --identity ours.txt --files out`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: first, files: [{ name: 'cv.txt' }] });
    const written = join(terminal.cwd, 'out/cv.txt');
    expect(await readFile(written, 'utf8')).toBe('my cv');
    expect((await stat(written)).mode & 0o777).toBe(0o600);
  });

  test('is reported as damaged if a byte was changed or its end is missing', async () => {
    const { terminal, root, ours } = await openSealed();
    const damages: readonly ((bytes: Buffer) => Buffer)[] = [
      ...[30, -1].map((at) => (bytes: Buffer) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8((bytes.at(at) ?? 0) ^ 1, at < 0 ? bytes.length + at : at);
        return changed;
      }),
      ...[0, 10, 150, -1].map((length) => (bytes: Buffer) => bytes.subarray(0, length)),
    ];
    const paths: string[] = [];
    for (const [nth, damage] of damages.entries()) {
      const entry = { id: `${first}${nth}`, at: '2026-11-20T10:00:00.000Z', sealTo: [ours.recipient] };
      for (const [path, bytes] of await entryFiles(entry)) {
        paths.push(path);
        await writeFile(join(root, path), damage(bytes));
      }
    }
    const { stderr, code } = await terminal.run('relay archive export --from archive --identity ours.txt');
    expect(code).toBe(1);
    expect(paths).toHaveLength(damages.length);
    for (const path of paths.slice(0, 2)) expect(stderr).toContain(`archive/${path}: is `);
    for (const path of paths.slice(2)) expect(stderr).toContain(`archive/${path}: is damaged`);
  });
});

test('a missing key is reported', async () => {
  const { secret, recipient } = await keyPair();
  const needed = 'a private key starts with AGE-SECRET-KEY-1';
  const locked = 'the key file is encrypted with a passphrase; decrypt it first: age -d FILE > key.txt';
  const keys: Readonly<Record<string, readonly [content: string, says: string]>> = {
    'empty.txt': ['\n# nothing\n', `the file holds no private key; ${needed}`],
    'public.txt': [recipient, `line 1 holds a public key, which cannot decrypt anything; ${needed}`],
    'cut.txt': [
      `# a comment\n${secret.slice(0, -1)}`,
      'the private key on line 2 is malformed or incomplete',
    ],
    'other.txt': ['hunter2', `line 1 holds no private key; ${needed}`],
    'locked.txt': ['age-encryption.org/v1\n-> scrypt …', locked],
    'armored.txt': ['-----BEGIN AGE ENCRYPTED FILE-----\n', locked],
  };
  const files = Object.fromEntries(Object.entries(keys).map(([name, [content]]) => [name, content]));
  const terminal = await openTerminal({ files });
  await chmod(terminal.cwd, 0o700);
  for (const [name, [, says]] of Object.entries({ ...keys, 'nosuch.txt': ['', 'the file does not exist'] }))
    expect(await terminal.run(`relay archive list --from . --identity ${name}`)).toEqual({
      stdout: '',
      stderr: `${name}: ${says}\n`,
      code: 1,
    });
});
