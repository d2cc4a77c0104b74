/** Only package.json says where the project is. As long as it does not, no text sends readers there. */
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

/** Addresses of the project in a line that are not in package.json. */
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
    !/\.(png|ico)$|(^|\/)package-lock\.json$|\/test\//.test(path),
);

test('nothing that is published or printed names an address that package.json does not have', () => {
  const found = files.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, at) => deadNames(line).map((name) => `${path}:${at + 1}: ${name}`)),
  );
  expect(found).toEqual([]);
});

test('docs/install.md describes how to get the package that package.json describes', () => {
  const page = read('docs/install.md');
  const { name, version, repository } = location;
  const tarball = `/path/to/${name}-${version}.tgz`;
  const lines = location.private
    ? ['npm run artifacts', `npm install ${tarball}`, `npx --package ${tarball} relay init`]
    : [`npm install ${name}`, `npx ${name} init`];
  const clone = repository && `git clone ${repository.url.replace(/^git\+/, '')}`;
  for (const line of [...lines, ...(clone ? [clone] : [])]) expect(page).toContain(`\n${line}\n`);
});
