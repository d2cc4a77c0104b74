// Prints the npm dist-tag for a git tag's version: node scripts/npm_tag.mjs v1.2.3 Prereleases get next. A version
// below npm's latest, such as 1.9.5 after 2.0.0, gets latest-1, so that latest never goes back.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const version = process.argv[2].replace(/^v/, '');
console.log(npmTag());

function npmTag() {
  if (version.includes('-')) return 'next';
  const latest = latestOnNpm();
  // npm tags the first version latest in any case, even a prerelease.
  if (latest === undefined || latest.includes('-') || !isBelow(version, latest)) return 'latest';
  // The tag cannot be v1, because npm rejects tags that are valid version ranges.
  return `latest-${version.split('.')[0]}`;
}

/** `undefined` if the package is not on npm yet. */
function latestOnNpm() {
  const { name } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { stdout, stderr } = spawnSync('npm', ['view', name, 'dist-tags.latest', '--json'], {
    encoding: 'utf8',
  });
  const said = JSON.parse(stdout || '{}');
  if (said.error?.code === 'E404') return undefined;
  if (typeof said === 'string') return said;
  throw new Error(`npm does not say which version is the latest: ${stdout}${stderr}`);
}

function isBelow(version, other) {
  const [these, those] = [version, other].map((one) => one.split('.').map(Number));
  const at = these.findIndex((part, index) => part !== those[index]);
  return at >= 0 && these[at] < those[at];
}
