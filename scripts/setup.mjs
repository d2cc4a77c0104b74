// Prepares the checkout: installs and builds only what is missing or out of date. Runs before dependencies
// are installed, so it uses none.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellStep } from './progress.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = [
  'apps',
  'catalogue',
  'packages',
  'docs',
  'package.json',
  'tsconfig.json',
  'tsdown.config.ts',
];
const products = [
  ...['dist/relay.cjs', 'dist/lambda/lambda.cjs', 'dist/index.mjs', 'dist/index.d.mts', 'dist/metrics.mjs'],
  ...['dist/element.mjs', 'dist/client.mjs', 'dist/client.d.mts', 'dist/cloudflare.mjs', 'dist/plugin.d.mts'],
];

/** Scripts for pages, which the rest of the build needs. */
const scripts = ['packages/element/built', 'apps/studio/built', 'apps/inbox/built'];

checkNode();
const mustInstall = !isInstalled();
if (mustInstall) await shellStep('Installing dependencies', 'npm ci --include=dev --loglevel=error', root);
if (mustInstall || !isBuilt()) await shellStep('Building dist', 'npm run --silent build', root);

function checkNode() {
  const needed = readJson('package.json').engines.node.replace('>=', '');
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = needed.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  fail(`Form Relay needs Node ${needed} or later; this is Node ${process.versions.node}.`);
}

/** Compares contents instead of dates, because a fresh clone dates every file at the time of cloning. */
function isInstalled() {
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    // Optional packages for other platforms are in the lock file, but never installed.
    return installed[path]
      ? installed[path].version === version
      : optional || /^(packages\/|apps\/|catalogue$)/.test(path);
  });
}

function isBuilt() {
  const built = Math.min(...products.map(changed));
  return scripts.every((path) => changed(path) > 0) && sources.every((path) => newest(path) <= built);
}

/** Includes directories, whose date changes when a file in them is removed. */
function newest(path) {
  const entries = statSync(join(root, path)).isDirectory() ? readdirSync(join(root, path)) : [];
  const read = entries.filter((entry) => entry !== 'built');
  return Math.max(changed(path), ...read.map((entry) => newest(join(path, entry))));
}

function changed(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
