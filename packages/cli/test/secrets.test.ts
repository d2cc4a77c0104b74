/** SECRETS_DIR: variables that are files, as Docker, Kubernetes and systemd give secrets. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp_folder.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const tokenSecret = '4f8a1c9e27b6d03f5a8e1c9d';

const config = `
forms:
  contact:
    fields: [{name: name}]
    spam: {min_fill_seconds: 3}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:9/", headers: {Authorization: '{{ env "CRM_TOKEN" }}'}, mapping: "*"}
`;

/** Verdicts of the built relay's doctor on the variables that the config needs, with these files as secrets. */
function examine(write: (folder: string) => void, env: NodeJS.ProcessEnv = {}) {
  const folder = tempFolder();
  write(folder);
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'doctor', '--json'], {
    env: { CONFIG_INLINE: config, SECRETS_DIR: folder, ...env },
    encoding: 'utf8',
  });
  const { diagnoses }: { diagnoses: { examination: string; subject: string; verdict: string }[] } =
    stdout === '' ? { diagnoses: [] } : JSON.parse(stdout);
  const variables = diagnoses.filter(({ examination }) => examination === 'Environment');
  return {
    verdicts: Object.fromEntries(variables.map(({ subject, verdict }) => [subject, verdict])),
    stderr: stderr.replaceAll(folder, '…'),
  };
}

test('each file is a variable, for the relay itself and for templates; a line break at its end does not count', () => {
  const { verdicts, stderr } = examine((folder) => {
    writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), `${tokenSecret}\r\n`);
    writeFileSync(join(folder, 'CRM_TOKEN'), 'Bearer 123\n');
  });
  // White space in a header would have been reported.
  expect([verdicts, stderr]).toEqual([{ FORM_TOKEN_SECRET: 'ok', CRM_TOKEN: 'ok' }, '']);
});

test('a file wins over a variable of its name', () => {
  const { verdicts } = examine((folder) => writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), 'short'), {
    FORM_TOKEN_SECRET: tokenSecret,
    CRM_TOKEN: 'Bearer 123',
  });
  expect(verdicts).toEqual({ FORM_TOKEN_SECRET: 'warning', CRM_TOKEN: 'ok' });
});

test('a volume of Kubernetes is read: links to files, next to the folders that they lead through', () => {
  const { verdicts, stderr } = examine((folder) => {
    mkdirSync(join(folder, '..2026_11_21'));
    writeFileSync(join(folder, '..2026_11_21/FORM_TOKEN_SECRET'), tokenSecret);
    symlinkSync('..2026_11_21', join(folder, '..data'));
    symlinkSync('..data/FORM_TOKEN_SECRET', join(folder, 'FORM_TOKEN_SECRET'));
    mkdirSync(join(folder, 'CRM_TOKEN'));
  });
  expect([verdicts, stderr]).toEqual([{ FORM_TOKEN_SECRET: 'ok', CRM_TOKEN: 'failure' }, '']);
});

test('a file that cannot be a variable ends the start, and the message shows none of its content', () => {
  const { stderr } = examine((folder) => {
    writeFileSync(join(folder, 'BINARY'), 'secret\0bytes');
    writeFileSync(join(folder, 'KEY'), Buffer.from('c3287fe2fe8c90d5', 'hex'));
    writeFileSync(join(folder, 'LONG'), 'secret'.repeat(20_000));
    symlinkSync('nowhere', join(folder, 'NOWHERE'));
    writeFileSync(join(folder, 'no-variable.txt'), 'secret\0');
  });
  expect(stderr.trim().split('\n')).toEqual([
    'SECRETS_DIR: …/BINARY: not text',
    'SECRETS_DIR: …/KEY: not text',
    'SECRETS_DIR: …/LONG: longer than 65536 bytes, which no variable may be',
    'SECRETS_DIR: …/NOWHERE: there is no such file',
  ]);
});

test('a folder that is not there ends the start', () => {
  expect(examine(() => {}, { SECRETS_DIR: '/nowhere/secrets' }).stderr).toBe(
    'SECRETS_DIR: /nowhere/secrets: there is no such folder\n',
  );
});

test('nothing in the folder makes the start wait, leads elsewhere by its name, or becomes something other than a variable', () => {
  const { verdicts, stderr } = examine((folder) => {
    execFileSync('mkfifo', [join(folder, 'A_PIPE')]);
    symlinkSync('/dev/zero', join(folder, 'ENDLESS'));
    symlinkSync('/', join(folder, 'ROOT'));
    symlinkSync('LOOP', join(folder, 'LOOP'));
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'a=b',
      'a\nb',
      '-x',
      '1A',
      '.env',
      'CRM_TOKEN.bak',
    ])
      writeFileSync(join(folder, name), 'secret');
    writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), tokenSecret);
  });
  expect(verdicts).toEqual({});
  expect(stderr).toBe('SECRETS_DIR: …/LOOP: the file cannot be read\n');
});
