/**
 * Builds `relay` as a single executable: npm run executable [-- --target linux-arm64 --node FILE --out FILE]
 *
 * `--node` names Node's program for the target. Without it, this platform gets the Node that runs this, if that is 24 or later,
 * else the one that npm has.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
// @ts-expect-error It has no types.
import { inject } from 'postject';
import { build } from 'tsdown';
import packageJson from '../package.json' with { type: 'json' };
import { bootstrap } from '../packages/cli/src/executable/bootstrap.ts';
import configs from '../tsdown.config.ts';
import { hostNode } from './artifacts/host_node.ts';

const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
/** As the container has them (deploy/container/Dockerfile). */
const flags = ['--max-semi-space-size=8', '--no-maglev'];
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const own = `${process.platform}-${process.arch}`;
const { values } = parseArgs({
  options: { target: { type: 'string', default: own }, node: { type: 'string' }, out: { type: 'string' } },
});
const { target } = values;
if (!targets.includes(target)) throw new Error(`--target is one of ${targets.join(', ')}, not ${target}`);
if (target !== own && values.node === undefined)
  throw new Error(`--node has to name Node's program for ${target}`);
const suffix = target.startsWith('win32') ? '.exe' : '';
const out = resolve(values.out ?? `executables/form-relay-${packageJson.version}-${target}${suffix}`);

/** A Node of this platform, which writes the blob: of the same version as the target's. */
const host = hostNode();
const node = values.node ?? host;

const hostVersion = execFileSync(host, ['--version'], { encoding: 'utf8' }).trim();
if (!readFileSync(node).includes(`${hostVersion}\0`))
  throw new Error(
    `${node} is not Node ${hostVersion}, which writes what is put into it: both must be the same`,
  );

const work = mkdtempSync(join(tmpdir(), 'relay-executable-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const code = join(work, 'code');
await bundle();

const assets = Object.fromEntries(filesIn(code).map((file) => [file, join(code, file)]));
writeFileSync(join(work, 'main.js'), bootstrap());
const blob = join(work, 'relay.blob');
writeFileSync(
  join(work, 'sea.json'),
  JSON.stringify({
    // A relative path, since the executable holds it.
    main: 'main.js',
    output: blob,
    disableExperimentalSEAWarning: true,
    // The loader of modules outside is one for Node.
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
// macOS runs no program without a signature; this one is nobody's.
if (isMac && process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', out]);
// Where nodejs.org's archives, Debian and the image of Node have it; npm's program comes without.
const ofNode = ['../LICENSE', '../share/doc/nodejs/LICENSE', 'LICENSE']
  .map((path) => join(dirname(realpathSync(node)), path))
  .find((path) => existsSync(path));
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

/** The command with all its packages, as it is in `dist`. The loader needs nothing else. */
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
    // Node 24 has its own SQLite.
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
