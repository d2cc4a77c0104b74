/**
 * Builds `relay` as a single executable: npm run executable [-- --target linux-arm64 --node FILE --out FILE]
 *
 * `--node` names the target's Node binary. By default, this platform uses the current Node if it is 24 or
 * later, else npm's.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
// @ts-expect-error The package has no types.
import { inject } from 'postject';
import { build } from 'tsdown';
import packageJson from '../package.json' with { type: 'json' };
import { bootstrap } from '../packages/cli/src/executable/beside.ts';
import configs from '../tsdown.config.ts';
import { hostNode } from './artifacts/host_node.ts';
import { tempFolder } from './machine.ts';

const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
/** As in the container (deploy/container/Dockerfile). */
const flags = ['--max-semi-space-size=8', '--no-maglev'];
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const own = `${process.platform}-${process.arch}`;
const { values } = parseArgs({
  options: { target: { type: 'string', default: own }, node: { type: 'string' }, out: { type: 'string' } },
});
const { target } = values;
if (!targets.includes(target))
  throw new Error(`--target must be one of ${targets.join(', ')}, not ${target}`);
if (target !== own && values.node === undefined)
  throw new Error(`--node must name the Node executable for ${target}`);
const suffix = target.startsWith('win32') ? '.exe' : '';
const out = resolve(values.out ?? `executables/form-relay-${packageJson.version}-${target}${suffix}`);

/** Node for this platform, which writes the blob: the same version as the target's. */
const host = hostNode();
const node = values.node ?? host;

const hostVersion = execFileSync(host, ['--version'], { encoding: 'utf8' }).trim();
if (!readFileSync(node).includes(`${hostVersion}\0`))
  throw new Error(
    `${node} is not Node ${hostVersion}, which prepares the executable; both must have the same version`,
  );

const work = tempFolder('executable');
const code = join(work, 'code');
await bundle();

const assets = Object.fromEntries(filesIn(code).map((file) => [file, join(code, file)]));
writeFileSync(join(work, 'main.js'), bootstrap());
const blob = join(work, 'relay.blob');
writeFileSync(
  join(work, 'sea.json'),
  JSON.stringify({
    // A relative path, because the executable contains it.
    main: 'main.js',
    output: blob,
    disableExperimentalSEAWarning: true,
    // The loader of external modules is for Node.
    execArgv: [...flags, '--disable-warning=ExperimentalWarning'],
    assets,
  }),
);
execFileSync(host, ['--experimental-sea-config', 'sea.json'], {
  cwd: work,
  stdio: ['ignore', 'ignore', 'inherit'],
});
mkdirSync(join(out, '..'), { recursive: true });
rmSync(out, { force: true });
copyFileSync(node, out);
chmodSync(out, 0o755);
const isMac = target.startsWith('darwin');
if (isMac && process.platform === 'darwin') execFileSync('codesign', ['--remove-signature', out]);
await inject(out, 'NODE_SEA_BLOB', readFileSync(blob), {
  sentinelFuse: fuse,
  ...(isMac && { machoSegmentName: 'NODE_SEA' }),
});
// macOS runs only signed programs; this signature is ad hoc.
if (isMac && process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', out]);
// Archives of nodejs.org, Debian, the Node image, Windows and npm's package keep the licence in different places.
const besideNode = dirname(realpathSync(node));
const ofNpm = join(besideNode, '../node_modules');
const ofNode = [
  ...['../LICENSE', '../share/doc/nodejs/LICENSE', 'LICENSE'].map((path) => join(besideNode, path)),
  ...(existsSync(ofNpm) ? readdirSync(ofNpm).map((name) => join(ofNpm, name, 'LICENSE')) : []),
].find((path) => existsSync(path) && readFileSync(path, 'utf8').startsWith('Node.js is licensed'));
if (ofNode === undefined)
  console.error(`SKIPPED: without LICENSE beside ${node}, the licences are not complete`);
writeFileSync(
  `${out.replace(/\.exe$/, '')}.licences.txt`,
  [
    ...(ofNode === undefined ? [] : [ofNode]),
    ...filesIn(code)
      .filter((file) => file.endsWith('licences.txt') && file !== 'lambda/third-party-licences.txt')
      .map((file) => join(code, file)),
  ]
    .map((path) => readFileSync(path, 'utf8'))
    .join(`\n${'-'.repeat(80)}\n\n`),
);
console.log(`${out}, ${(statSync(out).size / 1e6).toFixed(1)} MB`);

/** Bundles the command with all its packages, as in `dist`. The loader needs nothing else. */
async function bundle(): Promise<void> {
  const command = configs.find(({ name }) => name === 'programs');
  if (!command) throw new Error('tsdown.config.ts builds no programs');
  for (const late of configs.filter(({ name = '' }) => name.includes('/')))
    await build({ ...late, config: false, failOnWarn: false, logLevel: 'error', outDir: code, clean: false });
  const entries = Object.entries(command.entry as Record<string, string>);
  const common = {
    ...command,
    config: false as const,
    failOnWarn: false,
    logLevel: 'error' as const,
    outDir: code,
    target: 'node24',
    clean: false,
  };
  await build({
    ...common,
    entry: Object.fromEntries(entries.filter(([name]) => name.startsWith('cli/'))),
    // Node 24 includes SQLite.
    deps: {
      alwaysBundle: /^(?!node:|node-sqlite3-wasm)/,
      onlyBundle: false,
      neverBundle: ['node-sqlite3-wasm'],
    },
    alias: { [resolve('packages/cli/src/beside.ts')]: resolve('packages/cli/src/executable/beside.ts') },
  });
  await build({
    ...common,
    plugins: [],
    outputOptions: {},
    entry: { load: 'packages/cli/src/executable/load.ts' },
  });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .map((file) => file.replaceAll('\\', '/'));
}
