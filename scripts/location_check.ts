// Part of `npm run docs:check`: sets the project's addresses in the package.json of a copy, and checks that problems
// and the manual's site link to them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'form-relay-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });

const isOurs = (path: string) => !['node_modules', 'reports'].includes(basename(path));
cpSync(root, copy, {
  recursive: true,
  filter: (path) => isOurs(path) && path !== join(root, 'scripts/manual-site/dist'),
});
for (const folder of ['node_modules', 'scripts/manual-site/node_modules'])
  symlinkSync(join(root, folder), join(copy, folder));

const repository = 'https://codeberg.org/someone/form-relay';
const file = join(copy, 'package.json');
const { private: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
const location = {
  homepage: 'https://relay.someone.dev/',
  repository: { type: 'git', url: `git+${repository}.git` },
};
writeFileSync(file, JSON.stringify({ ...manifest, ...location }));

run('npx', 'vitest', 'run', 'test/docs/problems.test.ts');
run('npx', 'vitest', 'run', 'test/docs/location.test.ts', '-t', 'a place that package.json');
run('npm', 'run', '--silent', '--prefix', 'scripts/manual-site', 'build');

const page = readFileSync(join(copy, 'scripts/manual-site/dist/element.html'), 'utf8');
for (const address of [
  repository,
  `${repository}/edit/main/docs/element.md`,
  `${repository}/blob/main/examples/react`,
]) {
  if (!page.includes(`href="${address}"`)) throw new Error(`element.html does not lead to ${address}`);
}
