// Prints the shipped package's bill of materials as CycloneDX: npm run sbom --silent > form-relay.cdx.json npm omits
// packages that are also development dependencies (nodemailer, commander), so it runs in a folder without any.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'relay-sbom-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
const { devDependencies, ...shipped } = JSON.parse(readFileSync('package.json', 'utf8'));
// Bundled packages, according to the licences in dist/.
for (const name of bundled()) {
  if (devDependencies[name]) shipped.dependencies[name] = devDependencies[name];
}
// npm names the component after its folder.
const folder = join(root, shipped.name);
mkdirSync(folder);
writeFileSync(join(folder, 'package.json'), JSON.stringify(shipped));
cpSync('package-lock.json', join(folder, 'package-lock.json'));
const npm = (...args) =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
// Removes unneeded packages from the lock file, without changing versions.
npm('install', '--package-lock-only', '--ignore-scripts', '--offline', '--legacy-peer-deps');
process.stdout.write(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--legacy-peer-deps'));

function bundled() {
  const files = readdirSync('dist', { recursive: true }).filter((path) => path.endsWith('licences.txt'));
  const texts = files.map((path) => readFileSync(join('dist', path), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/^(\S+) \d+\.\d+\.\d+( \(|$)/gm)].map(([, name]) => name));
}
