/** What is shipped beside the code, and how it gets out. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const ofPdfs = [
  ...['@noble/hashes', '@swc/helpers', 'base64-js', 'bidi-js', 'clone', 'dfa', 'fast-deep-equal', 'fontkit'],
  ...['pdfkit', 'png-js', 'restructure', 'unicode-properties', 'unicode-trie'],
];

test.each([
  [
    'dist/third-party-licences.txt',
    [
      ...['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'commander', 'dijkstrajs', 'js-yaml'],
      ...['qrcode', 'valibot', 'zod'],
    ],
  ],
  [
    'dist/lambda/third-party-licences.txt',
    [
      ...['@remix-run/headers', '@remix-run/multipart-parser', 'js-yaml', 'libphonenumber-js'],
      ...['nodemailer', 'valibot'],
    ],
  ],
])('%s has the licence of each package that is bundled', (path, names) => {
  const parts = read(path).split(`\n${'-'.repeat(80)}\n\n`);
  const titles = parts.map((part) => part.split(/ \(|\n/, 1)[0]);
  expect([...new Set(titles.map((title) => title?.split(' ')[0]))]).toEqual([...names, ...ofPdfs].toSorted());
  for (const title of titles) expect(title).toMatch(/ \d+\.\d+\.\d+$/);
  for (const part of parts) expect(part).toMatch(/permission|warranty/i);
});

test('the manual names all that the package exports, and where its licences are', () => {
  const [upgrading, install] = [read('docs/upgrading.md'), read('docs/install.md')];
  const publicRow = /^\| the exports of .*$/m.exec(upgrading)?.[0];
  const { exports: exported } = JSON.parse(read('package.json')) as { readonly exports: object };
  for (const name of Object.keys(exported).filter((name) => name !== './package.json')) {
    expect(publicRow).toContain(name === '.' ? '`form-relay`' : `\`${name.slice(1)}\``);
    expect(install).toContain(`\`form-relay${name.slice(1)}\``);
  }
  const folders = readdirSync(new URL('../../dist', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'third-party-licences.txt')
    .map((path) => dirname(join('dist', path)));
  expect(folders.length).toBeGreaterThan(1);
  for (const folder of folders) expect(upgrading).toContain(`\`${folder}\``);
});

test('the bill of materials has what runs and what is shown, and nothing that only builds', () => {
  const bill = JSON.parse(
    execFileSync(process.execPath, ['scripts/sbom.mjs'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(Object.keys(JSON.parse(read('package.json')).dependencies)));
  expect(names).toEqual(expect.arrayContaining(['bootstrap', '@picocss/pico', 'htmx2', 'htmx4']));
  for (const name of ['@modelcontextprotocol/core', 'zod', 'qrcode', 'preact', 'style-mod', 'uplot'])
    expect(names).toContain(name);
  for (const name of ['vitest', '@popperjs/core']) expect(names).not.toContain(name);
});

describe('the release workflow', () => {
  interface Job {
    readonly needs?: string | readonly string[];
    readonly if?: string;
    readonly permissions: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly with?: object }[];
  }
  const { permissions, jobs } = load(read('.github/workflows/release.yml')) as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<'configured' | 'check' | 'executables' | 'publish', Job>>;
  };

  test('publishes after all that must hold, with provenance and without a token', () => {
    expect(jobs.check.steps.at(-1)?.run).toContain('.ci/run');
    expect(jobs.publish.needs).toEqual(['check', 'executables']);
    const publishing = jobs.publish.steps.flatMap(({ run }) => (run?.startsWith('npm publish') ? [run] : []));
    expect(publishing).toEqual([
      `npm publish --dry-run --provenance --access public --tag "$TAG"`,
      `npm publish --provenance --access public --tag "$TAG"`,
    ]);
    // npm refuses a prerelease without a tag of its own.
    expect(jobs.publish.env?.TAG).toContain("contains(github.ref_name, '-') && 'next' || 'latest'");
    expect(read('.github/workflows/release.yml')).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
  });

  test('does nothing until package.json says where the project is', () => {
    expect(jobs.configured.steps.at(-1)?.run).toContain('package.json');
    for (const { needs, if: only } of [jobs.check, jobs.executables])
      expect([needs, only]).toEqual(['configured', "needs.configured.outputs.is == 'true'"]);
  });

  test('may do nothing but that', () => {
    expect(permissions).toEqual({});
    expect(jobs.check.permissions).toEqual({ contents: 'read' });
    expect(jobs.executables.permissions).toEqual({ contents: 'read' });
    expect(jobs.publish.permissions).toEqual({
      contents: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
  });

  test('uses no actions but those of GitHub itself, and leaves no credentials behind', () => {
    const uses = Object.values(jobs).flatMap(({ steps }) => steps.filter(({ uses }) => uses));
    for (const { uses: name, with: given } of uses) {
      expect(name).toMatch(/^actions\//);
      if (name?.startsWith('actions/checkout')) expect(given).toEqual({ 'persist-credentials': false });
    }
  });
});
