/**
 * Writes V8's code cache for the function's code and the Node that runs this, and checks that it is used:
 *
 *   node dist/lambda_code_cache.cjs [folder of the function [MB of memory ...]]
 *
 * Default: `lambda` beside this file, and 128 MB. Lambda's runtimes tell V8 how much memory there is, and before Node 24 a cache fits one
 * amount alone; so there is a cache for each, and one for a Node without flags. It says what it wrote on stdout.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CacheIndex, codeFiles, indexFile } from './code_cache.ts';
import type { Written } from './warm_code_cache.ts';

const [folder = join(__dirname, 'lambda'), ...memory] = process.argv.slice(2);
const directory = resolve(folder);

/** Earlier versions of V8 don't notice a cache of another build, and crash. */
const firstSafeNode = 22;

if (Number.parseInt(process.versions.node, 10) < firstSafeNode) {
  process.stdout.write(
    `Node ${process.version}: no code cache, which needs Node ${firstSafeNode} or later\n`,
  );
} else {
  writeAll();
}

function writeAll(): void {
  const index = indexFile(directory);
  const amounts = memory.length > 0 ? memory.map(Number) : [128];
  const flags = [[], ...amounts.map(flagsFor)];
  const caches = flags.map((some, number) => {
    const file = `${basename(index, '.json')}_${number}.bin`;
    const { probe, sizes } = run(some, 'write', join(directory, file)) as Written;
    return { probe, file, sizes, checksum: crc32(readFileSync(join(directory, file))) };
  });
  const sources = codeFiles.map((name) => crc32(readFileSync(join(directory, name))));
  const text = JSON.stringify({ sources, caches } satisfies CacheIndex);
  writeFileSync(index, `${crc32(text)}\n${text}`);
  for (const some of flags) run(some, 'check', '');
  process.stdout.write(`Node ${process.version}: ${caches.length} code caches, checked\n`);
}

/** As Lambda's runtimes start Node. */
function flagsFor(megabytes: number): readonly string[] {
  const young = Math.floor(megabytes / 10);
  return [
    ...['--expose-gc', '--max-http-header-size', '81920'],
    ...[`--max-semi-space-size=${Math.floor(young / 2)}`, `--max-old-space-size=${megabytes - young}`],
  ];
}

/** Runs a process without this one's environment. Throws if it fails. */
function run(flags: readonly string[], task: string, file: string): unknown {
  const script = join(__dirname, 'lambda_code_cache_run.cjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, script, task, directory, file], {
    env: {},
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${task} with ${flags.join(' ') || 'no flags'} failed:\n${stderr}`);
  return JSON.parse(stdout || 'null');
}
