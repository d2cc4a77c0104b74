/** Where the project is stands in package.json alone. As long as it is nowhere, nothing sends its readers there. */
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { tracked } from '../support/tracked.ts';
import { read } from './papers.ts';

interface Location {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly homepage?: string;
  readonly repository?: { readonly url: string };
}

const location: Location = manifest;
const ours = [location.homepage, location.repository?.url.replace(/^git\+|\.git$/g, '')].filter(
  (address) => address !== undefined,
);

const registry =
  /\b(npx|bunx|npm (install|i|add|exec)|(pnpm|yarn|bun) (add|dlx))( -[\w-]+| [\w@/.^-]+)* form-relay(?![-\w./])|npm:form-relay\b/;
const forges =
  'github.com gitlab.com codeberg.org bitbucket.org npmjs.com jsr.io hub.docker.com ghcr.io quay.io unpkg.com';

/** What a line says about where the project is, and package.json does not. */
function deadNames(line: string): readonly string[] {
  const npm = location.private && !line.includes('.tgz') ? [registry.exec(line)?.[0]] : [];
  const addresses = [...line.matchAll(/https?:\/\/([\w.-]+)[^\s"'`<>)\]]*/g)].map(([address, host = '']) => {
    const isNamed =
      /(^|\.)form-relay\.\w+(\.\w+)*$/.test(host) && !/^form-relay\.(fly\.dev|form-relay)$/.test(host);
    const isHosted =
      forges.split(' ').some((forge) => host.endsWith(forge)) && /\/form-relay\b/.test(address);
    return (isNamed || isHosted) && !ours.some((one) => address.startsWith(one)) ? address : undefined;
  });
  return [...npm, ...addresses].filter((found) => found !== undefined);
}

const files = tracked.filter(
  (path) =>
    /^([^/]*\.(md|json)|(docs|examples|deploy|packages|\.github)\/.*)$/.test(path) &&
    !/\.(png|ico)$|(^|\/)package-lock\.json$/.test(path),
);

test('nothing that is published or printed names a place that package.json does not', () => {
  const found = files.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, at) => deadNames(line).map((name) => `${path}:${at + 1}: ${name}`)),
  );
  expect(found).toEqual([]);
});

test
  .skipIf(!location.private)
  .each([
    'npm install form-relay',
    'npm install form-relay @opentelemetry/api',
    'npm i --save-dev form-relay@1',
    'npx form-relay serve',
    'npx --yes form-relay',
    'bunx --bun form-relay serve',
    'deno run -A npm:form-relay/relay serve',
    'pnpm add react form-relay',
    'https://form-relay.example/problems.html#invalid',
    'https://docs.form-relay.dev/',
    'https://git.form-relay.example/form-relay.git',
    'https://github.com/someone/form-relay/blob/main/README.md',
    'https://www.npmjs.com/package/form-relay',
  ])('"%s" is found', (line) => {
  expect(deadNames(line)).not.toEqual([]);
});

test.each([
  'npx --package ./form-relay-0.1.0.tgz form-relay init',
  'npm install ./form-relay-0.1.0.tgz',
  "import { submitForm } from 'form-relay/client';",
  'https://github.com/nodemailer/nodemailer',
  'https://forms.example.com/api/v1/form.js',
])('"%s" is not', (line) => {
  expect(deadNames(line)).toEqual([]);
});

test('a place that package.json names exists outside of documentation', () => {
  for (const address of ours) {
    const { protocol, hostname } = new URL(address);
    expect(protocol).toBe('https:');
    expect(hostname).not.toMatch(/(^|\.)(example|invalid|test|localhost|example\.(com|net|org))$/);
  }
  expect(location.homepage ?? '/').toMatch(/\/$/);
});

test('docs/install.md says how to get the package that package.json describes', () => {
  const page = read('docs/install.md');
  const { name, version, repository } = location;
  const tarball = `/path/to/${name}-${version}.tgz`;
  const lines = location.private
    ? ['npm pack', `npm install ${tarball}`, `npx --package ${tarball} relay init`]
    : [`npm install ${name}`, `npx ${name} init`];
  const clone = repository && `git clone ${repository.url.replace(/^git\+/, '')}`;
  for (const line of [...lines, ...(clone ? [clone] : [])]) expect(page).toContain(`\n${line}\n`);
});
