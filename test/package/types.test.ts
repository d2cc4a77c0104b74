/** The types of the package need what docs/install.md says, and no more: with `skipLibCheck` off, TypeScript reads all of them. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { read } from '../deploy/files.ts';
import { tempFolder } from '../support/temp_folder.ts';

test.each([
  ['beside @types/node', ['form-relay', 'form-relay/metrics'], ['--lib', 'ES2023', '--types', 'node']],
  ['in a page', ['form-relay/client', 'form-relay/element'], ['--lib', 'ES2023,DOM', '--types', '']],
])('TypeScript takes the types %s', async (_, names, options) => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(resolve('.'), join(folder, 'node_modules/form-relay'));
  symlinkSync(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  const uses = names.map((name, index) => `export * as use${index} from '${name}';\n`);
  writeFileSync(join(folder, 'use.mts'), uses.join(''));
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...options, 'use.mts'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const said = await promisify(execFile)(process.execPath, [tsc, ...words], { cwd: folder }).catch(
    ({ stdout }) => ({ stdout }),
  );
  expect(said.stdout).toBe('');
});

test('the manual says what they need', () => {
  const page = read('docs/install.md');
  for (const name of ['@types/node', '@cloudflare/workers-types']) expect(page).toContain(`\`${name}\``);
});
