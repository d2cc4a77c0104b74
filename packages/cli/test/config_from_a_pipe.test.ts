/** Commands that read their config once take it from a pipe, too; they wait for it, but not for ever. */

import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readConfig } from '@form-relay/runtimes/config_file';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { err, ok } from '../../base/src/result.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const config = fileURLToPath(new URL('../../../examples/contact-form/webform.yaml', import.meta.url));

test
  .runIf(process.platform === 'linux')
  .each([
    'relay --config <(cat "$config") form list',
    'cat "$config" | relay --config /dev/stdin form list',
    'relay --config /dev/stdin form list < "$config"',
  ])('%s', async (line) => {
  const script = `relay() { "${process.execPath}" "${program}" "$@"; }; config="${config}"; ${line}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  expect(stdout).toBe('contact\n');
});

test.runIf(process.platform === 'linux')('a test of a form reads it once for all its steps', async () => {
  const script = `"${process.execPath}" "${program}" --config <(echo "$CONFIG") test contact --yes`;
  const form = '{fields: [{name: name}], outputs: [{type: folder, path: archive}]}';
  const env = { ...process.env, CONFIG: `forms: {contact: ${form}}` };
  const said = await promisify(execFile)('bash', ['-c', script], { env }).catch((error) => error);
  expect([said.code, said.stdout]).toEqual([1, expect.stringContaining('1 skipped; nothing was sent')]);
});

function pipe(): string {
  const folder = tempFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

test.runIf(process.platform === 'linux')('a pipe is waited for until somebody writes to it', async () => {
  const path = pipe();
  const reading = readConfig(path);
  await writeFile(path, 'forms: {}');
  expect(await reading).toEqual(ok('forms: {}'));
});

test.runIf(process.platform === 'linux')('a pipe that nobody writes to ends the waiting', async () => {
  expect(await readConfig(pipe(), 50)).toEqual(err('this pipe did not end within 0.05 s'));
});

test.runIf(process.platform === 'linux')('a pipe is not read beyond what a config may have', async () => {
  const path = pipe();
  const reading = readConfig(path);
  const writing = writeFile(path, Buffer.alloc(2 ** 25, '#'));
  expect(await reading).toEqual(err('the file is over 16 MB'));
  await expect(writing).rejects.toMatchObject({ code: 'EPIPE' });
});
