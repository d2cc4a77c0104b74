/**
 * Builds everything that users install into one folder:
 * npm run artifacts [-- --out artifacts --kinds package,image --with FOLDER]
 *
 * - `--kinds`: some of package, executable and image (default: all that this platform can make)
 * - `--with`: a folder of artifacts from other machines, to be listed with these
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { downloads } from './artifacts/address.ts';
import { billOf, type Kind } from './artifacts/bills.ts';
import { hostNode, printedBy } from './artifacts/host_node.ts';
import { hashOf, writeImage } from './artifacts/image.ts';
import { epoch, provenanceOf, revision } from './artifacts/provenance.ts';
import { tempFolder } from './machine.ts';

// Files in archives must be readable by everyone.
process.umask(0o022);
const { name, version } = manifest;
const platform = `${process.platform}-${process.arch}`;
const possible: readonly Kind[] = [
  'package',
  'executable',
  ...(process.platform === 'linux' ? (['image'] as const) : []),
];
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'artifacts' },
    kinds: { type: 'string', default: possible.join() },
    with: { type: 'string' },
  },
});
const kinds = values.kinds.split(',') as readonly Kind[];
const strange = kinds.filter((kind) => !possible.includes(kind));
if (strange.length > 0)
  throw new Error(`unknown kinds: ${strange.join(', ')}; this platform can make ${possible.join(', ')}`);

const out = resolve(values.out);
const work = tempFolder('artifacts');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
if (values.with !== undefined) cpSync(values.with, out, { recursive: true });

const node = hostNode();
const file = (suffix: string) => join(out, `${name}-${version}${suffix}`);
const made: Partial<Record<Kind, string>> = {};
if (kinds.includes('package')) {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], {
    stdio: 'ignore',
  });
  made.package = file('.tgz');
}
const executable = kinds.includes('executable')
  ? file(`-${platform}${process.platform === 'win32' ? '.exe' : ''}`)
  : join(work, 'relay');
if (kinds.some((kind) => kind !== 'package')) {
  const words = ['scripts/executable.ts', '--out', executable];
  execFileSync(process.execPath, ['--import', 'tsx', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (kinds.includes('executable')) made.executable = executable;
}
if (kinds.includes('image')) {
  made.image = file(`-image-${platform}.tar`);
  const folder = join(work, 'image');
  writeImage({
    executable,
    version,
    revision: revision(),
    epoch: epoch(),
    work: folder,
    out: made.image,
  });
}
writeFileSync(join(out, 'install.sh'), installer(), { mode: 0o755 });

const ofPackage = JSON.parse(
  execFileSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
);
for (const [kind, path] of Object.entries(made) as [Kind, string][]) {
  const versions = JSON.parse(printedBy(node, 'JSON.stringify(process.versions)'));
  const given = {
    kind,
    ofPackage,
    file: path.slice(out.length + 1),
    sha256: hashOf(path),
    epoch: epoch(),
    node: versions,
    executable,
  };
  writeFileSync(`${path}.cdx.json`, `${JSON.stringify(billOf(given), undefined, 2)}\n`);
}

const subjects = readdirSync(out)
  .filter((name) => !/\.(cdx\.json|licences\.txt)$/.test(name))
  .map((name) => ({ name, sha256: hashOf(join(out, name)) }));
const statement = provenanceOf({ subjects, kinds, node: printedBy(node, 'process.versions.node').trim() });
writeFileSync(file('.provenance.json'), `${JSON.stringify(statement, undefined, 2)}\n`);
writeFileSync(
  join(out, 'SHA256SUMS'),
  readdirSync(out)
    .toSorted()
    .map((name) => `${hashOf(join(out, name))}  ${name}\n`)
    .join(''),
);
for (const name of readdirSync(out).toSorted())
  console.log(`${(statSync(join(out, name)).size / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
console.log(`in ${values.out}. To install: sh ${join(values.out, 'install.sh')} --help`);

/** install.sh with the version, the units and the download URL filled in. */
function installer(): string {
  const fill: Readonly<Record<string, string>> = {
    VERSION: version,
    DOWNLOADS: downloads ?? '',
    SERVICE: readFileSync('deploy/systemd/form-relay.service', 'utf8').trimEnd(),
    SOCKET: readFileSync('deploy/systemd/form-relay.socket', 'utf8').trimEnd(),
  };
  return readFileSync('deploy/install/install.sh', 'utf8').replaceAll(
    /@([A-Z]+)@/g,
    (all, key: string) => fill[key] ?? all,
  );
}
