/**
 * Checks everything about a release that can be checked before its tag is pushed. Publishes nothing.
 * npm run release:check [-- --tag v1.2.3]
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { tempFolder } from './machine.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' } } });
const { version } = manifest;
const read = (path: string) => readFileSync(path, 'utf8');
const folder = tempFolder('release');
const output = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 });

check('the version follows Semantic Versioning, and the tag matches it', () => {
  assert.match(version, /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
  if (values.tag !== undefined) assert.equal(values.tag, `v${version}`);
});

check('the changelog begins with this version, and with a date if there is a tag', () => {
  const [, title = '', when = ''] = /^## (\S+) - (\S+)$/m.exec(read('CHANGELOG.md')) ?? [];
  assert.equal(title, version);
  if (values.tag !== undefined) assert.match(when, /^\d{4}-\d\d-\d\d$/);
});

check('other files name the same version', () => {
  const named = [...read('deploy/container/Dockerfile').matchAll(/^ARG VERSION=(.*)$/gm)].map(
    ([, its]) => its,
  );
  assert.deepEqual(named, [version, version]);
  const { dependencies } = JSON.parse(read('deploy/cloudflare/package.json'));
  assert.equal(dependencies['form-relay'], `file:form-relay-${version}.tgz`);
  assert.equal(JSON.parse(read('package-lock.json')).version, version);
});

check('the bill of materials is CycloneDX and names the package', () => {
  const bill = JSON.parse(output('npm', 'run', 'sbom', '--silent'));
  assert.deepEqual([bill.bomFormat, bill.metadata.component.version], ['CycloneDX', version]);
  for (const { name, version: its, purl } of bill.components) assert.ok(name && its && purl, name);
});

check('npm packs it, with the program and without sources', () => {
  const [{ files, filename, size }] = JSON.parse(
    output('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  );
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const needed = 'dist/relay.cjs dist/index.mjs dist/lambda/lambda.cjs LICENSE CHANGELOG.md';
  for (const path of needed.split(' ')) assert.ok(paths.includes(path), path);
  for (const path of paths) assert.doesNotMatch(path, /^(apps|packages|test|scripts|executables)\/|\.env$/);
  console.log(`      ${filename}, ${(size / 1e6).toFixed(1)} MB`);
});

console.log(
  `${version} is ${'repository' in manifest ? 'ready' : 'not published: package.json has no repository'}`,
);

function check(promise: string, test: () => void): void {
  test();
  console.log(`  ok  ${promise}`);
}
