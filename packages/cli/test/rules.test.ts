import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect, test } from 'vitest';
import { entryFiles, type Written } from '../../stored/test/entries.ts';
import { openTerminal } from './terminal.ts';

const id = (last: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(last).padStart(12, '0')}`;

/** An archive with a submission. */
async function stage(more: Partial<Written> = {}) {
  const written = await entryFiles({
    id: id(1),
    at: '2026-11-20T10:00:01.000Z',
    values: { email: ['a@example.com'], message: ['Hello'] },
    ...more,
  });
  const terminal = await openTerminal();
  for (const [path, bytes] of written) {
    const base64 = Buffer.from(bytes).toString('base64');
    await terminal.run(`mkdir -p "$(dirname archive/${path})"; echo ${base64} | base64 -d > archive/${path}`);
  }
  return terminal;
}

test('a submission is marked, also if it is sealed, in a file that has nothing of what a visitor wrote', async () => {
  const sealTo = [await identityToRecipient(await generateX25519Identity())];
  for (const terminal of [await stage(), await stage({ sealTo })]) {
    for (const verdict of ['ham', 'spam'])
      expect(await terminal.run(`relay rules mark ${id(1)} ${verdict} --archive archive/`)).toEqual({
        stdout: `${id(1)}  contact  ${verdict}\n`,
        stderr: '',
        code: 0,
      });
    const file = await terminal.run(
      'cat archive.verdicts.jsonl; ls -l archive.verdicts.jsonl | cut -c1-10; ls archive',
    );
    const lines = ['ham', 'spam'].map((verdict) => `{"id":"${id(1)}","verdict":"${verdict}","at":"…"}\n`);
    expect(file.stdout.replaceAll(/"at":"[^"]+"/g, '"at":"…"')).toBe(
      `${lines.join('')}-rw-------\ncontact\n`,
    );
  }
});

test('mistakes are reported', async () => {
  const terminal = await stage();
  const run = async (line: string) => {
    const { stderr, code } = await terminal.run(line);
    return `${code} ${stderr.split('\n')[0]}`;
  };
  expect(await run('relay rules mark nobody spam --archive archive')).toBe(
    '1 no submission in archive has the id nobody; relay archive list shows all of them',
  );
  expect(await run(`relay rules mark ${id(1)} eggs --archive archive`)).toMatch(
    /^2 .*Allowed choices are spam, ham/,
  );
  expect(await run(`relay rules mark ${id(1)} spam --archive nowhere`)).toMatch(/^1 nowhere.*no such folder/);
  expect(await run(`relay rules mark ${id(1)} spam --archive s3://bucket`)).toMatch(
    /^1 name a file .*--verdicts/,
  );
  expect(await run('ls archive.verdicts.jsonl')).toMatch(/^2 /);
});
