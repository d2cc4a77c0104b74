/** The types of the package need what docs/install.md says, and no more: with `skipLibCheck` off, TypeScript reads all of them. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { interfaceVersion } from '../../packages/core/src/plugin.ts';
import { publishedInterface, recordPath, removedFrom } from '../../scripts/interface.ts';
import { read } from '../deploy/files.ts';
import { tempFolder } from '../support/temp_folder.ts';

test.each([
  [
    'beside @types/node',
    ['form-relay', 'form-relay/plugin', 'form-relay/metrics', 'form-relay/testing'],
    ['--lib', 'ES2023', '--types', 'node'],
  ],
  ['in a page', ['form-relay/client', 'form-relay/element'], ['--lib', 'ES2023,DOM', '--types', '']],
])('TypeScript takes the types %s', async (_, names, options) => {
  const uses = names.map((name, index) => `export * as use${index} from '${name}';\n`);
  expect(await typeCheck(uses.join(''), options)).toBe('');
});

test('the types of the interface have no seams and nothing of how forms are compiled', async () => {
  const plugin = (hooks: string) => `import type { MakePlugin } from 'form-relay/plugin';
    const makePlugin: MakePlugin = (kit) => ({
      name: 'mine',
      features: [kit.feature({ name: 'mine', configure: () => (${hooks}) })],
      start: ({ forms }) => { for (const { id, outputs } of forms.values()) console.log(id, outputs[0]?.target); },
    });
    export default makePlugin;`;
  const checked = (hooks: string) => typeCheck(plugin(hooks), ['--lib', 'ES2023', '--types', 'node']);
  expect(await checked("{ view: (view) => (view.form.id === '' ? kit.refused(410, 'gone') : view) }")).toBe(
    '',
  );
  expect(await checked('{ decorateServices: (services) => services }')).toContain('no properties in common');
  expect(await checked('{ afterValidation: () => ({ form }) => form.deliver }')).toContain("'deliver'");
});

test('the interface only grows until its next major version', () => {
  const [record, published] = [read(recordPath), publishedInterface()];
  const [, recorded] = /version (\d+)/.exec(record) ?? [];
  if (interfaceVersion.startsWith(`${recorded}.`))
    expect(
      removedFrom(record, published),
      'Removed or changed: raise the major `interfaceVersion` (packages/core/src/plugin.ts), then run `npm run interface`',
    ).toEqual([]);
  expect(published, '`npm run interface` records additions, and a new version').toBe(record);
});

async function typeCheck(source: string, options: readonly string[]): Promise<string> {
  const folder = tempFolder();
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(resolve('.'), join(folder, 'node_modules/form-relay'));
  symlinkSync(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'use.mts'), source);
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...options, 'use.mts'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const said = await promisify(execFile)(process.execPath, [tsc, ...words], { cwd: folder }).catch(
    ({ stdout }) => ({ stdout }),
  );
  return said.stdout;
}

test('the manual says what they need', () => {
  const page = read('docs/install.md');
  for (const name of ['@types/node', '@cloudflare/workers-types']) expect(page).toContain(`\`${name}\``);
});
